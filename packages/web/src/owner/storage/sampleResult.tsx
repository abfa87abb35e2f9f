/** What a sample has found, and what samples in this browser have found before. */
import { type SampleRecord, type SampleRun, sampleTally, shareFound } from '@blindkeep/client/verify'
import { useId } from 'preact/hooks'
import { Button, Notice } from '../../common/controls/controls.tsx'
import { download } from '../../common/files/download.ts'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { useLoaded } from '../../common/work/useLoaded.ts'
import { sampleRunsOf } from '../browser/sampleStore.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { storageTexts } from '../ground/texts.ts'
import { checkRunOf } from './checkRun.ts'
import { useRunState } from './runState.ts'
import { SURE, sampleWords } from './sampleWords.ts'

export function SampleNotice({ run }: { readonly run: SampleRun }) {
  const text = useText(storageTexts)
  const format = useText(formats)
  const tally = sampleTally(run)
  const tone = tally.bad > 0 ? 'bad' : tally.notAsked > 0 ? 'warn' : 'info'
  return (
    <Notice tone={tone}>
      {sampleWords(run, text, format).map((words) => (
        <p key={words}>{words}</p>
      ))}
    </Notice>
  )
}

/** How many pieces are drawn, what they find, and what that costs. */
interface SampleFieldProps {
  readonly samples: number
  readonly onSamples: (samples: number) => void
  /** Bytes that this many samples download at most. */
  readonly costOf: (samples: number) => number
}

const SAMPLE_CHOICES = [30, 100, 459] as const

export function SampleField({ samples, onSamples, costOf }: SampleFieldProps) {
  const text = useText(storageTexts).sample
  const format = useText(formats)
  const id = useId()
  return (
    <div class="indented stack tight">
      <label for={id}>{text.howMany}</label>
      <select
        id={id}
        value={String(samples)}
        aria-describedby={`${id}-cost`}
        onChange={({ currentTarget: { value } }) => onSamples(Number(value))}
      >
        {SAMPLE_CHOICES.map((count) => (
          <option key={count} value={String(count)}>
            {format.number(count)}
          </option>
        ))}
      </select>
      <div id={`${id}-cost`} class="hint">
        <p>{text.finds(format.share(shareFound(samples, SURE)))}</p>
        <p>{text.cost(format.bytes(costOf(samples)))}</p>
      </div>
    </div>
  )
}

export function SampleRuns() {
  const { owner, baseUrl } = useOwnerPages()
  const text = useText(storageTexts).sample
  const { sampled } = useRunState(checkRunOf(owner, baseUrl))
  const { value: runs = [] } = useLoaded(() => sampleRunsOf(owner), sampled?.seed)
  if (runs.length === 0) return null
  const save = () => {
    const content = new Blob([`${JSON.stringify(runs, undefined, 2)}\n`], { type: 'application/json' })
    download(content, `${text.fileName}.json`)
  }
  return (
    <section class="card stack no-print" aria-labelledby="samples-heading">
      <div class="stack tight">
        <h2 id="samples-heading">{text.runs}</h2>
        <p class="soft">{text.runsIntro}</p>
      </div>
      <ul class="outcomes">
        {runs.map((run) => (
          <RunRow key={run.seed} run={run} />
        ))}
      </ul>
      <div>
        <Button kind="quiet" icon="download" onClick={save}>
          {text.saveRuns}
        </Button>
      </div>
    </section>
  )
}

function RunRow({ run: { at, samples, segments, stopped } }: { readonly run: SampleRecord }) {
  const text = useText(storageTexts).sample
  const format = useText(formats)
  const good = samples.filter(([, , word]) => word.startsWith('good')).length
  return (
    <li>
      <p>{format.instant(at)}</p>
      <p class="small soft">
        {text.run(good, samples.length, segments)}
        {stopped && ` ${text.runStopped}`}
      </p>
    </li>
  )
}
