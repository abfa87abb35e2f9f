import { MAX_PAGE } from '@blindkeep/protocol/schemas/lists'
import type { ListQuestion } from '../../domain/ground/lists.ts'

/** What the query of a list asks for (`pageQuery`). */
export function listQuestion<Id>(query: Omit<ListQuestion<Id>, 'max'> & { readonly limit: number | undefined }) {
  const { limit, ...question } = query
  const isWhole = Object.values(query).every((value) => value === undefined)
  return { ...question, max: isWhole ? undefined : (limit ?? MAX_PAGE) }
}
