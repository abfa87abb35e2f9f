/** How far the files are: a row for each that is under way, and one for all. */

import type { SendProgress } from '@blindkeep/client/guest'
import { sizeText } from '@blindkeep/protocol/byteSizes'
import type { Report } from '../report.ts'
import { durationText, shown } from '../texts.ts'
import type { ChosenFile } from './files.ts'

/** The rate is that of the last seconds. */
const RATE_MS = 10_000

const PHASES = { preparing: 'sealing', sending: 'sending', finishing: 'landing', landed: 'landed' } as const

export interface Progress {
  /** What `send` and `prepare` call for one file. */
  of(file: ChosenFile): (progress: SendProgress) => void
  /** The file has landed or failed. */
  end(file: ChosenFile): void
}

export function createProgress(files: readonly ChosenFile[], report: Report): Progress {
  const all = files.reduce((sum, { size }) => sum + size, 0)
  const underWay = new Map<ChosenFile, SendProgress>()
  const samples: { readonly at: number; readonly bytes: number }[] = []
  let ended = { files: 0, bytes: 0 }

  /** Bytes of the files themselves: sealed ones are a little more. */
  function sentBytes(): number {
    const sent = [...underWay].map(([{ size }, { phase, bytes, of }]) =>
      phase === 'preparing' ? 0 : (size * bytes) / of,
    )
    return sent.reduce((sum, bytes) => sum + bytes, ended.bytes)
  }

  function rows(): readonly string[] {
    const now = performance.now()
    const bytes = sentBytes()
    samples.push({ at: now, bytes })
    while (samples.length > 2 && now - (samples[0]?.at ?? now) > RATE_MS) samples.shift()
    const [first = { at: now, bytes }] = samples
    const rate = now > first.at ? ((bytes - first.bytes) / (now - first.at)) * 1000 : 0
    const left = rate > 0 ? `, ${sizeText(rate)}/s, ${durationText((all - bytes) / rate)} left` : ''
    return [
      ...[...underWay].map(rowOf),
      `${ended.files} of ${files.length} files, ${sizeText(bytes)} of ${sizeText(all)}${left}`,
    ]
  }

  return {
    of: (file) => (progress) => {
      underWay.set(file, progress)
      report.progress(rows)
    },
    end(file) {
      underWay.delete(file)
      ended = { files: ended.files + 1, bytes: ended.bytes + file.size }
      report.progress(rows)
    },
  }
}

function rowOf([{ shownAs }, { phase, bytes, of, waitingMs }]: readonly [ChosenFile, SendProgress]): string {
  const percent = `${Math.floor((100 * bytes) / of)} %`.padStart(5)
  const doing = waitingMs === undefined ? PHASES[phase] : `no answer, again in ${durationText(waitingMs / 1000)}`
  return `${percent}  ${doing}  ${shown(shownAs)}`
}
