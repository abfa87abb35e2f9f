import { Client } from 'pg'

/**
 * How many answers of PostgreSQL `work` waits for, one after another: statements that travel together count once.
 * Counts all connections of the process, so nothing else may run. A rollback and a sign of life do not count, because
 * no caller waits for them.
 */
export async function roundTripsOf(work: () => Promise<unknown>): Promise<number> {
  /** For each connection, the longest chain of statements of which each was sent after the answer to the one before. */
  const depths = new Map<Client, number>()
  const { query } = Client.prototype
  // Its overloads differ only in what they answer.
  Client.prototype.query = function (this: Client, ...given: unknown[]) {
    const answer = Reflect.apply(query, this, given)
    if (given[0] === 'rollback' || given[0] === 'select 1') return answer
    const depth = (depths.get(this) ?? 0) + 1
    const answered = () => void depths.set(this, Math.max(depths.get(this) ?? 0, depth))
    answer.then(answered, answered)
    return answer
  } as typeof query
  try {
    await work()
  } finally {
    Client.prototype.query = query
  }
  return [...depths.values()].reduce((sum, depth) => sum + depth, 0)
}
