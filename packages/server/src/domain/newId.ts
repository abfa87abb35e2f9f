import type { Random } from '../ports/random.ts'

/** A fresh id, parsed like any other: the brand is given at one place alone. */
export function newId<Id>(random: Random, parse: (text: string) => Id | undefined): Id {
  const id = parse(random.uuid())
  if (id === undefined) throw new Error('the random generator gave no UUID')
  return id
}
