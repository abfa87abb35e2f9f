import { Button, Progress } from '../common/controls.tsx'
import { formatDuration, formatInstant, formatPercent } from '../common/format.ts'
import type { Language } from '../common/language.ts'
import type { Snapshot } from './messages.ts'
import { earlierOf, missingOf } from './standing.ts'
import { useGuestPages } from './texts.ts'

/** The progress of all files together. */
export function ProgressCard({ snapshot }: { readonly snapshot: Snapshot }) {
  const { text, language, tell } = useGuestPages()
  const { totals, isPaused, counts, passphrase } = snapshot
  if (totals.files === 0 || totals.landed === totals.files) return null
  const missing = missingOf(snapshot)
  const hasPaused = isPaused || counts.paused === totals.files - totals.landed
  const trouble = hasPaused ? undefined : totals.trouble
  const waitsForPassphrase = (passphrase === 'refused' || passphrase === 'wanted') && counts.sending === 0
  const sealing = counts.sending === 0 ? snapshot.rows.find(({ phase }) => phase === 'preparing') : undefined
  const left =
    totals.secondsLeft === undefined ? undefined : text.progress.left(formatDuration(totals.secondsLeft, language))
  return (
    <section class="card stack tight progress-card" aria-label={text.progress.label}>
      <div class="row apart">
        <p class="percent">
          {sealing === undefined
            ? text.progress.sending(formatPercent(totals.doneBytes, totals.totalBytes, language))
            : text.progress.sealing(formatPercent(sealing.doneBytes, sealing.totalBytes, language))}
        </p>
        {hasPaused ? (
          <Button kind="primary" icon="play" onClick={() => tell({ do: 'resumeAll' })}>
            {text.actions.resumeAll}
          </Button>
        ) : (
          <Button icon="pause" onClick={() => tell({ do: 'pauseAll' })}>
            {text.actions.pauseAll}
          </Button>
        )}
      </div>
      <Progress label={text.progress.label} value={totals.doneBytes} max={Math.max(1, totals.totalBytes)} />
      <p class="row apart small">
        <span>{text.progress.landed(totals.landed, totals.files, earlierOf(snapshot))}</span>
        <span class="soft">{left}</span>
      </p>
      {missing > 0 && <p class="small bad">{text.live.failed(missing)}</p>}
      <p class={`small ${trouble === undefined ? 'soft' : 'warn'}`}>
        {hasPaused
          ? text.progress.paused
          : trouble !== undefined
            ? text.troubles[trouble.reason](
                timeText(trouble.since, language),
                trouble.until === undefined ? undefined : timeText(trouble.until, language),
              )
            : waitsForPassphrase
              ? text.progress.passphrase
              : snapshot.storage === 'kept'
                ? text.progress.keepOpenOrReturn
                : text.progress.keepOpen}
      </p>
      {trouble !== undefined && (
        <div>
          <Button icon="retry" onClick={() => tell({ do: 'wake' })}>
            {text.askAgain}
          </Button>
        </div>
      )}
    </section>
  )
}

function timeText(ms: number, language: Language): string {
  return formatInstant(new Date(ms).toISOString(), language)
}
