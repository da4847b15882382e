/** An e-mail address for whoever may not know it: `m…@example.com`. */
export function maskAddress(email: string): string {
  const [first = ''] = email;
  return `${first}…${email.slice(email.lastIndexOf('@'))}`;
}
