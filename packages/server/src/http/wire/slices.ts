/** Work on long lists in slices. Between two of them other requests are served. */
import { setImmediate as turn } from 'node:timers/promises'

const SLICE = 100

export async function mapInSlices<Item, Made>(items: readonly Item[], make: (item: Item) => Made): Promise<Made[]> {
  if (items.length <= SLICE) return items.map(make)
  const made: Made[] = []
  for (let start = 0; start < items.length; start += SLICE) {
    for (const item of items.slice(start, start + SLICE)) made.push(make(item))
    await turn()
  }
  return made
}

/** What `JSON.stringify` gives for the body of an answer: a text, or the bytes of a long one in pieces. */
export async function jsonInSlices(body: object): Promise<string | readonly Buffer[]> {
  if (!Object.values(body).some(isLong)) return JSON.stringify(body)
  const pieces: Buffer[] = []
  let before = '{'
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue
    before += `${JSON.stringify(name)}:`
    if (isLong(value)) {
      pieces.push(Buffer.from(`${before}[`), ...(await listInSlices(value)))
      before = '],'
    } else before += `${JSON.stringify(value)},`
  }
  return [...pieces, Buffer.from(`${before.slice(0, -1)}}`)]
}

const isLong = (value: unknown): value is readonly unknown[] => Array.isArray(value) && value.length > SLICE

async function listInSlices(list: readonly unknown[]): Promise<readonly Buffer[]> {
  const slices: Buffer[] = []
  for (let start = 0; start < list.length; start += SLICE) {
    const rows = JSON.stringify(list.slice(start, start + SLICE)).slice(1, -1)
    slices.push(Buffer.from(start === 0 ? rows : `,${rows}`))
    await turn()
  }
  return slices
}
