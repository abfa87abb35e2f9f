/** How far files are: a row for each that is under way, and one for all. */
import type { SendTrouble } from '@blindkeep/client/errors'
import { sizeText } from '@blindkeep/protocol/byteSizes'
import type { Report } from '../ground/report.ts'
import { durationText, filesText, shown } from '../ground/texts.ts'
import { cut, widthOf } from '../ground/width.ts'

/** The rate is that of the last seconds. */
const RATE_MS = 10_000

/** Only a server that asks for it makes a call wait longer. */
const LONG_MS = 60_000

const PHASES = {
  preparing: 'sealing',
  sending: 'sending',
  finishing: 'landing',
  // Only a checked receipt says that it has landed.
  landed: 'getting the receipt',
  complete: 'getting the receipt',
  comparing: 'comparing',
  saving: 'saving',
} as const

export const TROUBLES = {
  no_connection: 'no answer',
  busy: 'the server is busy',
  storage_unavailable: 'the server cannot reach its database or its files',
  disk_full: 'the server has no space',
  little_room: 'the server has little room: files are sent one after the other',
  server_failed: 'the server has a problem',
} as const satisfies Record<SendTrouble, string>

export interface FileProgress {
  readonly phase: keyof typeof PHASES
  readonly bytes: number
  readonly of: number
  /** Milliseconds until the next attempt, after a failure. */
  readonly waitingMs?: number
  readonly trouble?: SendTrouble
}

export interface FileUnderWay {
  readonly shownAs: string
  readonly size: number
}

export interface Progress<File> {
  /** One more file than was known. */
  add(file: File): void
  /** What the work on one file calls. */
  of(file: File): (progress: FileProgress) => void
  /** The work on the file has ended, well or not. */
  end(file: File): void
}

export function createProgress<File extends FileUnderWay>(files: readonly File[], report: Report): Progress<File> {
  let all = { files: files.length, bytes: files.reduce((sum, { size }) => sum + size, 0) }
  const underWay = new Map<File, FileProgress>()
  const samples: { readonly at: number; readonly bytes: number }[] = []
  let ended = { files: 0, bytes: 0 }
  const said = new Set<string>()

  /** Once a trouble, and again for a long wait: a call that waits for hours must not seem to hang. */
  function tellWaiting({ waitingMs, trouble = waitingMs === undefined ? undefined : 'no_connection' }: FileProgress) {
    if (trouble === undefined) return
    const isLong = waitingMs !== undefined && waitingMs > LONG_MS
    const what = `${trouble} ${isLong}`
    if (said.has(what)) return
    said.add(what)
    const until = isLong ? ` The next try is in ${durationText(waitingMs / 1000)}.` : ''
    const waits = `: this call waits, and tries again until it can go on.${until} Ctrl-C ends it`
    const text = `${TROUBLES[trouble]}${waitingMs === undefined ? '' : waits}.`
    report.waiting(text, { event: 'waiting', trouble })
  }

  /** Bytes of the files themselves: sealed ones are a little more. */
  function movedBytes(): number {
    const moved = [...underWay].map(([{ size }, { phase, bytes, of }]) => {
      if (phase === 'preparing') return 0
      return phase === 'comparing' || of === 0 ? size : (size * bytes) / of
    })
    return moved.reduce((sum, bytes) => sum + bytes, ended.bytes)
  }

  function rows(columns: number): readonly string[] {
    const now = performance.now()
    const bytes = movedBytes()
    samples.push({ at: now, bytes })
    while (samples.length > 2 && now - (samples[0]?.at ?? now) > RATE_MS) samples.shift()
    const [first = { at: now, bytes }] = samples
    const rate = now > first.at ? ((bytes - first.bytes) / (now - first.at)) * 1000 : 0
    const left = rate > 0 ? `, ${durationText((all.bytes - bytes) / rate)} left` : ''
    const ofFiles = `${ended.files} of ${filesText(all.files)}`
    const ofBytes = `${sizeText(bytes)} of ${sizeText(all.bytes)}`
    const short = `${ofFiles}, ${percentText(bytes, all.bytes)}${left}`
    const forms = [
      `${ofFiles}, ${ofBytes}${rate > 0 ? `, ${sizeText(rate)}/s` : ''}${left}`,
      `${ofFiles}, ${ofBytes}${left}`,
      short,
    ]
    const fitting = forms.find((form) => widthOf(form) <= columns) ?? short
    return [...[...underWay].map((entry) => rowOf(entry, columns)), fitting]
  }

  return {
    add({ size }) {
      all = { files: all.files + 1, bytes: all.bytes + size }
    },
    of: (file) => (progress) => {
      underWay.set(file, progress)
      tellWaiting(progress)
      report.progress(rows)
    },
    end(file) {
      underWay.delete(file)
      ended = { files: ended.files + 1, bytes: ended.bytes + file.size }
      report.progress(rows)
    },
  }
}

const percentText = (bytes: number, of: number) => `${of === 0 ? 100 : Math.floor((100 * bytes) / of)} %`

/** Of a name that is too long, both ends are shown. */
const MIN_NAME_WIDTH = 8

function rowOf([{ shownAs }, progress]: readonly [FileUnderWay, FileProgress], columns: number): string {
  const { phase, bytes, of, waitingMs, trouble = 'no_connection' } = progress
  const phaseText = trouble === 'little_room' ? 'waiting for another file' : PHASES[phase]
  const doing = waitingMs === undefined ? phaseText : `${TROUBLES[trouble]}, again in ${durationText(waitingMs / 1000)}`
  const start = `${percentText(bytes, of).padStart(5)}  ${doing}  `
  const room = Math.max(MIN_NAME_WIDTH, columns - widthOf(start))
  return `${start}${cut(shown(shownAs), room, 'middle')}`
}
