/** Titles of what the system shows when a transfer has ended. */
export const notices = {
  sent: 'Sent',
  received: 'Received',
  sendFailed: 'Sending failed',
  receiveFailed: 'Receiving failed',
} as const;
