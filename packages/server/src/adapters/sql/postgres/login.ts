import { DatabaseError } from 'pg'

export const LOGIN_HELP =
  'PostgreSQL refuses the login. Check the user and the database in DATABASE_URL, and the password in PGPASSWORD, PGPASSFILE or DATABASE_URL.'

/** Class 28 (https://www.postgresql.org/docs/current/errcodes-appendix.html), or no password to send. */
export function isRefusedLogin(error: unknown): boolean {
  if (error instanceof DatabaseError) return error.code?.startsWith('28') === true
  return error instanceof Error && error.message.startsWith('SASL: ')
}
