/** `blindkeep pages check`: what a server serves as pages, against the list of its release (decisions/pages.md). */
import { createCalls } from '@blindkeep/client/call'
import { NetworkError } from '@blindkeep/client/errors'
import { sizeText } from '@blindkeep/protocol/byteSizes'
import { forEachConcurrently } from '@blindkeep/protocol/concurrency'
import { countText } from '@blindkeep/protocol/counts'
import { givenAddress } from '../ground/ask.ts'
import { EXIT, type Exit, UsageError } from '../ground/exits.ts'
import { interruptible } from '../ground/interrupts.ts'
import { createReport, type Report, type ReportFlags } from '../ground/report.ts'
import { namesText } from '../ground/texts.ts'
import { type Answer, type Asker, createAsker } from './asking.ts'
import { decoded } from './coded.ts'
import { type Difference, headerDifferences } from './comparing.ts'
import { type AllFound, createFinds, type Found } from './finds.ts'
import { httpsRecordOf } from './httpsRecord.ts'
import { compareVersions, knownLists, listFor, type PagesList } from './lists.ts'
import { linkPathIn, questionsFor } from './questions.ts'

export interface CheckFlags extends ReportFlags {
  readonly link?: string
  readonly list?: string
  readonly times?: number
  readonly userAgent?: string
}

const LIMITS =
  'This is what was served to this machine, now. A server can serve another page to one person, at another time, or to browsers alone, which it can tell from this program.'
const NO_LINK =
  'Only the page of a link that does not exist was asked for, and a server knows which exist. Name one that you use: --link -'

/** Of a browser, because a server could know a program by its name. */
const USER_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/153.0.0.0 Safari/537.36'

const AT_ONCE = 6
const VERSION = '/v1/version'
const MAX_VERSION_BYTES = 4096
/** Each takes half a minute; then the server is away. */
const MAX_LATE = 6

export async function checkPages(url: string, flags: CheckFlags): Promise<Exit> {
  const report = createReport(flags)
  const { serverUrl: baseUrl } = createCalls({ baseUrl: url })
  const lists = await knownLists(flags.list)
  const linkPath = await linkPathOf(baseUrl, flags.link, report)
  return await interruptible(async (signal) => {
    const asker = createAsker({ baseUrl, userAgent: flags.userAgent ?? USER_AGENT, signal })
    try {
      report.result(LIMITS, { event: 'limits', message: LIMITS })
      const checked = await checkTimes({ asker, baseUrl, lists, linkPath, report, times: flags.times ?? 1 })
      return checked === undefined ? EXIT.failed : await tell(checked, { baseUrl, lists, report, linkPath })
    } finally {
      asker.close()
    }
  })
}

/** The path of a link's or share's own page. Its fragment, which has the key, goes nowhere. */
async function linkPathOf(baseUrl: string, given: string | undefined, report: Report): Promise<string | undefined> {
  if (given === undefined) return undefined
  if (given !== '-')
    throw new UsageError(
      'The address of a link is a secret, and arguments are not. Give it on standard input: --link -',
    )
  const path = linkPathIn(await givenAddress('-', report, 'Ask for a new link.'), baseUrl)
  if (path === undefined)
    throw new UsageError(`That is no address of a link or share at ${baseUrl}, as a browser would ask for it.`)
  return path
}

interface Checking {
  readonly asker: Asker
  readonly baseUrl: string
  readonly lists: readonly PagesList[]
  readonly linkPath: string | undefined
  readonly report: Report
}

interface Checked extends AllFound {
  readonly list: PagesList
}

/** Undefined, and said, if no list is known. */
async function checkTimes({ times, ...checking }: Checking & { readonly times: number }): Promise<Checked | undefined> {
  const { asker, lists, baseUrl, linkPath, report } = checking
  const { find, note, ...finds } = createFinds()
  const version = await asker.ask({ path: VERSION, coding: 'plain', use: 'data', maxBytes: MAX_VERSION_BYTES })
  refuseRedirect(version, baseUrl)
  const named = versionIn(version)
  const list = listFor(lists, { version: named, ownersPage: await ownersPage(asker) })
  if (list === undefined) {
    tellUnknown({ baseUrl, lists, report }, named)
    return undefined
  }
  note(VERSION, version, headerDifferences(version, { headers: list.headers.data ?? {} }), [])
  let late = 0
  for (let time = 0; time < times; time++)
    await forEachConcurrently(questionsFor(list, linkPath), AT_ONCE, async ({ place, ask }) => {
      if (late >= MAX_LATE) return find(place, { about: 'answer', what: 'was not asked for any more' })
      try {
        await ask(asker, note)
      } catch (error) {
        // What was found before must not be hidden by a connection that breaks.
        if (!(error instanceof NetworkError)) throw error
        if (error.failure === 'timeout') late += 1
        find(place, { about: 'answer', what: `was not answered: ${error.message}` })
      }
      report.progress(() => [`${countText(finds.answers(), 'answer')} compared`])
    })
  report.end()
  return { list, ...finds.all() }
}

function refuseRedirect({ status, headers }: Answer, baseUrl: string): void {
  if (status < 300 || status >= 400) return
  const found = URL.parse(headers.get('location')?.[0] ?? '', baseUrl)?.origin
  throw new NetworkError('redirected', undefined, { given: new URL(baseUrl).origin, found })
}

function versionIn(answer: Answer): string | undefined {
  try {
    const { version } = JSON.parse(Buffer.from(decoded(answer, MAX_VERSION_BYTES)).toString())
    return typeof version === 'string' && /^\d[\w.+-]{0,40}$/.test(version) ? version : undefined
  } catch {
    return undefined
  }
}

const MAX_DOCUMENT_BYTES = 1_048_576
/** Only to choose a list by. */
async function ownersPage(asker: Asker): Promise<Uint8Array> {
  const answer = await asker.ask({ path: '/', coding: 'br', use: 'document', maxBytes: MAX_DOCUMENT_BYTES })
  try {
    return decoded(answer, MAX_DOCUMENT_BYTES)
  } catch {
    return new Uint8Array()
  }
}

type Telling = Pick<Checking, 'baseUrl' | 'lists' | 'report'>

function tellUnknown({ baseUrl, lists, report }: Telling, named: string | undefined): void {
  const isNewer = compareVersions(named ?? '', lists.at(-1)?.version ?? '') > 0
  const next = isNewer
    ? 'If that release exists, it is newer than this program: update, and check again.'
    : 'Nothing was compared.'
  report.problem(
    `${baseUrl} says that it is release ${named}. ${next} This program knows the pages of ${namesText(lists.map(({ version }) => version))}.`,
    { event: 'pages', verdict: 'unknown_release', says: named, server: baseUrl },
  )
}

async function tell(
  { list, found, answers, bytes, others, elsewhere }: Checked,
  { baseUrl, lists, report, linkPath }: Telling & Pick<Checking, 'linkPath'>,
): Promise<Exit> {
  const at = new Date()
  for (const { about, what, at: where } of found)
    report.problem(
      `${where.length === 1 ? where[0] : `${countText(where.length, 'answer')}, such as ${where[0]},`} ${what}`,
      {
        event: 'difference',
        about,
        what,
        at: where,
      },
    )
  const record = await httpsRecordOf(baseUrl)
  const ways = [...elsewhere, ...(record === undefined ? [] : [record])]
  const otherHeaders = [...others].sort()
  if (linkPath === undefined) report.aside(NO_LINK)
  for (const way of ways) report.aside(`A browser may be sent elsewhere, where this program was not: ${way}`)
  if (otherHeaders.length > 0)
    report.aside(`Other headers, of which this program knows no effect: ${namesText(otherHeaders)}`)
  const newest = lists.at(-1)?.version
  if (newest !== undefined && newest !== list.version) report.aside(`A newer release is known: ${newest}.`)
  const verdict = verdictOf(found)
  const fact = {
    event: 'pages',
    verdict,
    release: list.version,
    server: baseUrl,
    at: at.toISOString(),
    answers,
    bytes,
    elsewhere: ways,
    other_headers: otherHeaders,
    newest_known: newest,
  }
  const time = `${String(at.getHours()).padStart(2, '0')}:${String(at.getMinutes()).padStart(2, '0')}`
  const what = `${baseUrl} served this machine ${VERDICTS[verdict].text(list.version)}`
  if (verdict === 'same')
    report.result(`${what} at ${time} (${countText(answers, 'answer')}, ${sizeText(bytes)}).`, fact)
  else report.problem(what, fact)
  return VERDICTS[verdict].exit
}

type Verdict = 'same' | 'pages_differ' | 'headers_differ' | 'not_answered'

function verdictOf(found: readonly Found[]): Verdict {
  const has = (about: Difference['about']) => found.some((each) => each.about === about)
  if (has('page')) return 'pages_differ'
  if (has('headers')) return 'headers_differ'
  return has('answer') ? 'not_answered' : 'same'
}

const VERDICTS: Readonly<Record<Verdict, { readonly exit: Exit; text(version: string): string }>> = {
  same: { exit: EXIT.done, text: (version) => `the pages of release ${version}` },
  pages_differ: {
    exit: EXIT.untrusted,
    text: (version) =>
      `other pages than those of release ${version}. Its operator has changed them, or an intruder, or something on the way. Sign in nowhere and send nothing there until you know why.`,
  },
  headers_differ: {
    exit: EXIT.failed,
    text: (version) =>
      `the files of release ${version}, but not with its headers. Something in front of it may add or change them: its operator has to mend that, because browsers may be allowed more than the release allows.`,
  },
  not_answered: {
    exit: EXIT.failed,
    text: (version) => `only some of the pages of release ${version}. Check again when all of them are answered.`,
  },
}
