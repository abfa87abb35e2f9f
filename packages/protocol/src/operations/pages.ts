/** Lists of an account that may be long: whole, or in pages. */
import { type TSchema, Type } from 'typebox'
import type { ProblemCode } from '../problems.ts'
import { ListOrder, MAX_PAGE } from '../schemas/lists.ts'

interface Paged<Id extends TSchema> {
  /** What the list has, in the plural. */
  readonly of: string
  readonly id: Id
  /** The answer to a page after an entry that has no place. */
  readonly gone: ProblemCode
  /** Which entries have a place. */
  readonly places: string
}

/** The query of a list. */
export const pageQuery = <Id extends TSchema>({ of, id, gone, places }: Paged<Id>) =>
  ({
    limit: {
      description: `The largest number of ${of}. Without any parameter all of them, with others ${MAX_PAGE}.`,
      required: false,
      schema: Type.Integer({ minimum: 1, maximum: MAX_PAGE }),
    },
    order: {
      description: `The order of limit and after, and of the ${of} in the page: oldest first, the default, or newest first.`,
      required: false,
      schema: ListOrder,
    },
    after: {
      description: `The last of the ${of} in the page before. ${places} Otherwise the answer is ${gone}, and a page after an earlier one, or from the beginning, loses and repeats nothing for a client that knows the ${of} by their ids.`,
      required: false,
      schema: id,
    },
  }) as const

/** What the description of a list says of its pages. */
export const pagesOf = (of: string): string =>
  `With limit, after or order: a page of them. A page with fewer ${of} than its limit is the last one.`
