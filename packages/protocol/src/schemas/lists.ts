import type { Static } from '../static.ts'
import { oneOf } from './shape.ts'

/** The largest number of entries in a page of a list. */
export const MAX_PAGE = 1000

export const ListOrder = oneOf(['oldest', 'newest'], 'Which entries come first.')
export type ListOrder = Static<typeof ListOrder>
