import pg from 'pg';

const uniqueViolation = '23505';

/** Whether a statement failed because of this unique constraint or index. */
export function violates(error: unknown, constraint: string): boolean {
  return error instanceof pg.DatabaseError && error.code === uniqueViolation && error.constraint === constraint;
}
