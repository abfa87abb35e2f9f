/** What happens to an object store. Every request meets the fault with some chance, or the next few of a kind do. */
import type { ObjectFault, ObjectRule, ObjectStoreProxy } from '../../testing/faultProxy/objectStore.ts'
import type { Cause } from '../harness/disturb.ts'
import type { Random } from '../harness/random.ts'

type Place = { readonly objects: ObjectStoreProxy }
type Method = NonNullable<ObjectRule['method']>

const LASTS_MS = [300, 2_500] as const
/** Enough that the library's own repeats do not hide it. */
const MAX_TIMES = 12

export const STORE_CAUSES: readonly Cause<Place>[] = [
  ...causes('503', 'slow down'),
  ...causes('requests lost', 'lose the request'),
  ...causes('answers lost', 'lose the answer'),
  ...causes('hanging', 'hang'),
  ...causes('a clock that is wrong', 'skewed clock'),
  ...causes('sent twice', 'send twice', ['PUT', 'POST', 'DELETE']),
  ...causes('applied late', { applyAfterMs: 4_000 }, ['PUT', 'POST', 'DELETE']),
  ...causes('full', 'full', ['PUT', 'POST']),
  ...causes('an error in 200', 'error in 200', ['POST', 'PUT']),
  ...causes('bodies cut', 'cut the body', ['GET']),
  ...causes('bodies wrong', 'wrong body', ['GET']),
  ...causes('yes to HEAD and no to GET', 'stale', ['GET']),
  {
    name: 'unreachable',
    lastsMs: LASTS_MS,
    begin({ objects }) {
      objects.refuse()
      return objects.heal
    },
  },
]

/** One in which all such requests fail, and one in which only some do. */
function causes(name: string, fault: ObjectFault, methods?: readonly Method[]): readonly Cause<Place>[] {
  const rules = (times: number): readonly ObjectRule[] =>
    methods === undefined ? [{ fault, times }] : methods.map((method) => ({ method, fault, times }))
  const begin = (timesOf: (random: Random) => number): Cause<Place>['begin'] => {
    return ({ objects }, random) => {
      objects.spoil(...rules(timesOf(random)))
      return objects.heal
    }
  }
  const lies = fault === 'wrong body'
  return [
    { name: `${name}, all`, lies, lastsMs: LASTS_MS, begin: begin(() => Number.POSITIVE_INFINITY) },
    { name: `${name}, some`, lies, lastsMs: LASTS_MS, begin: begin((random) => random.integer(1, MAX_TIMES)) },
  ]
}
