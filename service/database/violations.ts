import pg from 'pg';

const uniqueViolation = '23505';
const checkViolation = '23514';

/** Whether a statement failed because of this unique constraint or index. */
export function violates(error: unknown, constraint: string): boolean {
  return error instanceof pg.DatabaseError && error.code === uniqueViolation && error.constraint === constraint;
}

/** Whether a statement failed because of this check constraint. */
export function breaksCheck(error: unknown, constraint: string): boolean {
  return error instanceof pg.DatabaseError && error.code === checkViolation && error.constraint === constraint;
}
