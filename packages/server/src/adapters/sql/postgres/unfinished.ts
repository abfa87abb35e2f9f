import type { PostgresSession } from './session.ts'

/** The table that a database has while a restore or a move brings its rows. */
export const UNFINISHED = 'unfinished_restore'

/** Half of a server's data must not look like all of it. */
export async function refuseUnfinished(session: PostgresSession): Promise<void> {
  const { rows } = await session.ask({ text: `select to_regclass('${UNFINISHED}')` })
  if (rows[0]?.[0] === null) return
  throw new Error(
    `A restore or a move into this database was interrupted. Run it again before you start the server. To start without the data, run in the database: drop table ${UNFINISHED}`,
  )
}
