/** More are not compared: guests can invent thousands. */
const MAX_COMPARED = 1000
/** Of a name. */
const MAX_CHARACTERS = 100

/** Those that were probably meant by `given` come first: that have the most pairs of letters in common with it. */
export function nearestFirst(names: readonly string[], given: string): readonly string[] {
  const wanted = new Set(pairsOf(given))
  const likeness = (name: string) => {
    const pairs = pairsOf(name)
    return pairs.filter((pair) => wanted.has(pair)).length / (pairs.length + wanted.size)
  }
  const compared = names.slice(0, MAX_COMPARED).map((name) => ({ name, likeness: likeness(name) }))
  const sorted = compared.toSorted((one, other) => other.likeness - one.likeness)
  return [...sorted.map(({ name }) => name), ...names.slice(MAX_COMPARED)]
}

/** With the beginning and the end, so that the first and the last letter count as much as the others. */
function pairsOf(name: string): readonly string[] {
  const letters = [...` ${name.slice(0, MAX_CHARACTERS).toUpperCase()} `]
  return letters.slice(1).map((letter, index) => `${letters[index]}${letter}`)
}
