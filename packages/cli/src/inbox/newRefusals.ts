/** What links have refused since the last look at them. */
import { type Refused, type Refusing, refusedBy } from '../ground/refusedTexts.ts'

/** Each reason of a link once, and again with another count, or after the owner has dismissed it. */
export function createNewRefusals(): (links: readonly Refusing[]) => readonly Refused[] {
  const seen = new Map<string, string>()
  return (links) =>
    refusedBy(links).filter(({ fact: { link_id, why, count, first_at } }) => {
      const [key, value] = [`${link_id} ${why}`, `${first_at} ${count}`]
      const isNew = seen.get(key) !== value
      seen.set(key, value)
      return isNew
    })
}
