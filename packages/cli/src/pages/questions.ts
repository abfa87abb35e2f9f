/** What is asked of a server, and what its answers must be. */
import { randomBytes } from 'node:crypto'
import { type Answer, type Asker, CODINGS, type Coding } from './asking.ts'
import { awayIn, type Difference, differencesIn, headerDifferences, laterDifferences, othersIn } from './comparing.ts'
import { type Declared, declaredIn, type Expected, expectedIn, type PagesList } from './lists.ts'

/** @param place for people: the path of a link is a credential */
export type Note = (
  place: string,
  answer: Answer,
  differences: readonly Difference[],
  others: readonly string[],
) => void

export interface Questions {
  readonly place: string
  ask(asker: Asker, note: Note): Promise<void>
}

/** What compression may add to bytes that it cannot make smaller. */
const CODING_BYTES = 65_536
/** Of an answer of which only the headers count. */
const MAX_DATA_BYTES = 4096
const ALL = Object.keys(CODINGS) as readonly Coding[]
/** Nearly every module is a decoder of previews, and has nine tenths of all bytes: read only as browsers ask for it. */
const codingsOf = ({ path }: Expected) => ALL.filter((coding) => coding === 'br' || !path.endsWith('.wasm'))

/** @param linkPath of the page of one link or share */
export function questionsFor(list: PagesList, linkPath: string | undefined): readonly Questions[] {
  const unknown = randomBytes(16).toString('hex')
  const expected = expectedIn(list, unknown)
  const ofLink = expected.find(({ path }) => path.startsWith('/u/'))
  const all = linkPath === undefined || ofLink === undefined ? expected : [{ ...ofLink, path: linkPath }, ...expected]
  const shown = ({ path }: Expected) => (path === linkPath ? 'The page of the link' : path)
  return [
    ...all.flatMap((each) => codingsOf(each).map((coding) => aboutFile(each, coding, shown(each)))),
    ...declaredIn(list, unknown).map(aboutPolicy),
  ]
}

/** As it stands, with its query: a server could have another page for that. Undefined with a key that `%23` begins. */
export function linkPathIn(given: string, baseUrl: string): string | undefined {
  const address = URL.parse(given.trim())
  const path = address?.href.startsWith(`${baseUrl}/`) ? address.href.slice(baseUrl.length).split('#')[0] : undefined
  return path !== undefined && /^\/[uv]\/[^/?#]+(?:\?.*)?$/.test(path) && !/%(?:25)*23/.test(path) ? path : undefined
}

function aboutFile(expected: Expected, coding: Coding, name: string): Questions {
  const { path, use, length, headers } = expected
  const question = { path, use, coding, maxBytes: length + CODING_BYTES }
  const place = `${name} (${coding})`
  return {
    place,
    async ask(asker, note) {
      const answer = await asker.ask(question)
      note(place, answer, differencesIn(answer, expected), othersIn(answer, expected))
      const ifNoneMatch = answer.headers.get('etag')?.[0]
      // So a browser asks at its next visit.
      if (coding !== 'br' || ifNoneMatch === undefined || headers['cache-control'] !== 'no-cache') return
      const later = await asker.ask({ ...question, ifNoneMatch })
      note(`${name} (${coding}, again)`, later, laterDifferences(later, expected), othersIn(later, expected))
    },
  }
}

/** Where no page is: a browser that is led there must not be allowed more. */
function aboutPolicy(declared: Declared): Questions {
  const { path } = declared
  return {
    place: path,
    async ask(asker, note) {
      const answer = await asker.ask({ path, use: 'document', coding: 'br', maxBytes: MAX_DATA_BYTES })
      const away = awayIn(answer)
      note(path, answer, away ? [away] : headerDifferences(answer, declared), [])
    },
  }
}
