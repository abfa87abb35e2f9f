import { Button, Progress } from '../common/controls.tsx'
import { formatDuration, formatPercent } from '../common/format.ts'
import type { Snapshot } from './messages.ts'
import { useGuestPages } from './texts.ts'

/** The progress of all files together. */
export function ProgressCard({ snapshot }: { readonly snapshot: Snapshot }) {
  const { text, language, tell } = useGuestPages()
  const { totals, isPaused, counts, passphrase } = snapshot
  if (totals.files === 0 || totals.landed === totals.files) return null
  const hasPaused = isPaused || counts.paused === totals.files - totals.landed
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
        <span>{text.progress.landed(totals.landed, totals.files)}</span>
        <span class="soft">{left}</span>
      </p>
      <p class="small soft">
        {hasPaused
          ? text.progress.paused
          : totals.isRetrying
            ? text.progress.retrying
            : waitsForPassphrase
              ? text.progress.passphrase
              : text.progress.keepOpen}
      </p>
    </section>
  )
}
