/** P18: a search over 100,000 names whose index is there. */
import { type Findable, finderOf } from '@blindkeep/client/find'
import { type IndexSeal, type KnownName, openNames, sealNames } from '@blindkeep/client/findIndex'
import { parseAccountId } from '@blindkeep/protocol/ids'
import type { Lane, Row } from '../row.ts'

/** Each is a search, as the letters are typed. */
const TYPED = ['0', '05', '050', '0500', 'grusse 0500', 'nothing of that name']

export const find: Row = {
  name: 'find',
  ids: ['P18'],
  what: 'a search over 100,000 names in the client; beside opening the sealed index of them once',
  async open({ isQuick }) {
    const count = isQuick ? 1_000 : 100_000
    const short = await searchLane('names of 30 characters', count, (number) => `Grüße, scan ${number} of spring.pdf`)
    const long = await searchLane('names of 255 characters', count, (number) => `${'é'.repeat(245)}${number}.pdf`)
    return {
      unit: 'ms',
      lanes: [short.search, long.search, short.open],
      comparisons: [
        { id: 'P18', lane: short.search, most: 100 },
        { id: 'P18', lane: long.search, most: 100 },
        { id: 'P18', lane: short.search, beside: short.open },
      ],
    }
  },
}

async function searchLane(
  name: string,
  count: number,
  nameOf: (number: string) => string,
): Promise<{ readonly search: Lane; readonly open: Lane }> {
  const accountId = parseAccountId('0b0e6b1c-7c1c-4c55-9d1b-0d9f4a4f0001')
  if (accountId === undefined) throw new Error('an id')
  const seal: IndexSeal = { accountKey: new Uint8Array(32), accountId, baseUrl: 'http://127.0.0.1' }
  const names = Array.from({ length: count }, (_, index): readonly [string, KnownName] => [
    String(index).padStart(64, '0'),
    { name: nameOf(String(index).padStart(6, '0')), sender: 'Ada', type: 'application/pdf', size: index },
  ])
  const parts = await sealNames(names, seal)
  const files = names.map(([, file]): Findable => ({ file, size: file.size, at: '2026-05-01T00:00:00Z' }))
  const searched = (words: string) => files.filter(finderOf({ words })).length
  // The first search folds the names: in a page, the one of the first letter.
  searched(TYPED[0] ?? '')
  return {
    search: {
      name: `a search of ${name}`,
      async measure() {
        const begin = performance.now()
        for (const words of TYPED) searched(words)
        return { value: (performance.now() - begin) / TYPED.length }
      },
    },
    open: {
      name: `opening the index of ${name}, and its first search`,
      async measure() {
        const begin = performance.now()
        const opened = (await Promise.all(parts.map((part) => openNames(part, seal)))).flatMap((part) => part ?? [])
        if (opened.length !== count) throw new Error('names are missing')
        const fresh = opened.map(([, file]): Findable => ({ file, size: file.size, at: '2026-05-01T00:00:00Z' }))
        fresh.filter(finderOf({ words: TYPED[0] }))
        return { value: performance.now() - begin }
      },
    },
  }
}
