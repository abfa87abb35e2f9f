import { Button, Progress } from '../../common/controls/controls.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import type { Snapshot } from '../ground/messages.ts'
import { earlierOf, missingOf } from '../ground/standing.ts'
import { useTell } from '../ground/tell.ts'
import { guestTexts } from '../ground/texts.ts'

/** The progress of all files together. */
export function ProgressCard({ snapshot }: { readonly snapshot: Snapshot }) {
  const format = useText(formats)
  const text = useText(guestTexts)
  const tell = useTell()
  const timeText = (ms: number) => format.instant(new Date(ms).toISOString())
  const { totals, isPaused, counts, passphrase } = snapshot
  if (totals.files === 0 || totals.landed === totals.files) return null
  const missing = missingOf(snapshot)
  const hasPaused = isPaused || counts.paused === totals.files - totals.landed
  const trouble = hasPaused ? undefined : totals.trouble
  const waitsForPassphrase = (passphrase === 'refused' || passphrase === 'wanted') && counts.sending === 0
  const sealing = counts.sending === 0 ? snapshot.rows.find(({ phase }) => phase === 'preparing') : undefined
  const left = totals.secondsLeft === undefined ? undefined : text.progress.left(format.duration(totals.secondsLeft))
  return (
    <section class="card stack tight progress-card" aria-label={text.progress.label}>
      <div class="row apart">
        <p class="percent">
          {sealing === undefined
            ? text.progress.sending(format.percent(totals.doneBytes, totals.totalBytes))
            : text.progress.sealing(format.percent(sealing.doneBytes, sealing.totalBytes))}
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
        <span>{text.progress.arrived(totals.arrived, totals.files, earlierOf(snapshot))}</span>
        <span class="soft">{left}</span>
      </p>
      {missing > 0 && <p class="small bad">{text.live.failed(missing)}</p>}
      <p class={`small ${trouble === undefined ? 'soft' : 'warn'}`}>
        {hasPaused
          ? text.progress.paused
          : trouble !== undefined
            ? text.troubles[trouble.reason](
                timeText(trouble.since),
                trouble.until === undefined ? undefined : timeText(trouble.until),
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
