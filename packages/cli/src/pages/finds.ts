/** What a check has found: each difference once, with the answers that had it. */
import { cut, type Difference } from './comparing.ts'
import type { Note } from './questions.ts'

/** A server may answer each question with others. */
const MOST = 100

/** A difference, and the answers that had it. */
export interface Found extends Difference {
  readonly at: string[]
}

export interface AllFound {
  readonly found: readonly Found[]
  readonly answers: number
  readonly bytes: number
  /** Names of headers. */
  readonly others: ReadonlySet<string>
  /** `Alt-Svc`. */
  readonly elsewhere: ReadonlySet<string>
}

export interface Finds {
  readonly note: Note
  find(place: string, difference: Difference): void
  answers(): number
  all(): AllFound
}

export function createFinds(): Finds {
  const found = new Map<string, Found>()
  const [others, elsewhere] = [new Set<string>(), new Set<string>()]
  const total = { answers: 0, bytes: 0 }
  const find: Finds['find'] = (place, difference) => {
    const same = found.get(difference.what) ?? { ...difference, at: [] }
    if (!same.at.includes(place)) same.at.push(place)
    if (found.size < MOST || worse(difference)) found.set(difference.what, same)
  }
  return {
    find,
    note(place, answer, differences, names) {
      total.answers += 1
      total.bytes += answer.body.length
      for (const value of answer.headers.get('alt-svc') ?? []) addTo(elsewhere, `Alt-Svc: ${cut(value)}`)
      for (const name of names) addTo(others, name)
      for (const difference of differences) find(place, difference)
    },
    answers: () => total.answers,
    all: () => ({ found: [...found.values()], ...total, others, elsewhere }),
  }
}

/** Its texts are ours, so there are few. */
const worse = ({ about }: Difference) => about !== 'headers'

function addTo(texts: Set<string>, text: string): void {
  if (texts.size < MOST) texts.add(text)
}
