import { DatabaseError } from 'pg'
import { StorageUnavailable } from '../../../ports/store.ts'
import { createPostgresHealth, type PostgresHealth } from './health.ts'

export const LOGIN_HELP =
  'PostgreSQL refuses the login. Check the user and the database in DATABASE_URL, and the password in PGPASSWORD, PGPASSFILE or DATABASE_URL.'

/** Class 28 (https://www.postgresql.org/docs/current/errcodes-appendix.html), or no password to send. */
function isRefusedLogin(error: unknown): boolean {
  if (error instanceof DatabaseError) return error.code?.startsWith('28') === true
  return error instanceof Error && error.message.startsWith('SASL: ')
}

/** What to throw for an error of opening a connection, or of asking over one that has no transaction. */
export function connectionError(
  error: unknown,
  health: Pick<PostgresHealth, 'judge'> = createPostgresHealth(),
): unknown {
  if (isRefusedLogin(error)) return new Error(LOGIN_HELP, { cause: error })
  const judged = health.judge(error)
  // An error that the server itself reports, such as an unknown setting, is permanent. Every other error means that no
  // server answered.
  if (judged !== error || error instanceof DatabaseError) return judged
  return new StorageUnavailable('The database cannot be reached', { cause: error })
}
