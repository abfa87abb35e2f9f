import type { AssetFacts } from '@blindkeep/client/owner'
import { formatInstant, instantOf } from '@blindkeep/protocol/ids'
import { useState } from 'preact/hooks'
import { Dialog, Field, Progress } from '../../common/controls/controls.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { useAction } from '../../common/work/useAction.ts'
import { useLoaded } from '../../common/work/useLoaded.ts'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'
import { FormButtons } from '../dialogs/formButtons.tsx'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { albumsTexts } from '../ground/texts.ts'
import { type ProtectionDays, protectionDays, protectionEnd, startOf } from './protection.ts'

interface ProtectDialogProps {
  readonly asset: AssetFacts
  readonly onClose: () => void
  readonly onProtected: () => void
}

/** Says once what it means, and asks until when the file cannot be deleted. */
export function ProtectDialog({ asset, onClose, onProtected }: ProtectDialogProps) {
  const text = useText(albumsTexts)
  const { value, error, reload } = useProtectionDays(asset.retainedUntil)
  return (
    <Dialog title={text.protect.title} closeLabel={text.close} onClose={onClose}>
      {error !== undefined && <ErrorNotice error={error} onRetry={reload} />}
      {value === undefined && error === undefined && <Progress label={text.asset.loading} />}
      {value !== undefined &&
        (value.days === undefined ? (
          <p>{text.protect.none}</p>
        ) : (
          <ProtectForm asset={asset} days={value.days} onClose={onClose} onProtected={onProtected} />
        ))}
    </Dialog>
  )
}

/** Without days if the server accepts none after the present end. */
export function useProtectionDays(retainedUntil: string | undefined) {
  const { owner } = useOwnerPages()
  return useLoaded(async () => {
    const daysMax = (await owner.serverInfo()).limits?.retention_days ?? 0
    return { days: protectionDays({ nowMs: owner.now(), retainedUntil, daysMax }) }
  })
}

function ProtectForm({ asset, days, onClose, onProtected }: ProtectDialogProps & { readonly days: ProtectionDays }) {
  const { owner, showMessage } = useOwnerPages()
  const text = useText(albumsTexts).protect
  const format = useText(formats)
  const [day, setDay] = useState(days.suggested)
  const { isBusy, error, run } = useAction()
  const until = protectionEnd(day, days)

  async function protect(): Promise<void> {
    if (until === undefined) return
    const isDone = await run(async () => {
      const { skipped } = await owner.retainAssets([asset.assetId], until)
      showMessage(
        skipped.length > 0
          ? { tone: 'bad', text: text.unsigned }
          : { tone: 'good', text: text.done(format.date(until)) },
      )
    })
    if (!isDone) return
    onProtected()
    onClose()
  }

  return (
    <form
      class="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void protect()
      }}
    >
      <ProtectionDay count={1} days={days} day={day} onDay={setDay} />
      {error !== undefined && <ErrorNotice error={error} />}
      <FormButtons submit={text.submit} icon="shield" isBusy={isBusy} onCancel={onClose} />
    </form>
  )
}

interface ProtectionDayProps {
  /** Files that it is about. */
  readonly count: number
  readonly days: ProtectionDays
  readonly day: string
  readonly onDay: (day: string) => void
}

/** What a protection means, and until when. */
export function ProtectionDay({ count, days, day, onDay }: ProtectionDayProps) {
  const text = useText(albumsTexts).protect
  const format = useText(formats)
  const dateText = (of: string) => format.date(formatInstant(instantOf(startOf(of))))
  const isOffered = protectionEnd(day, days) !== undefined
  return (
    <>
      <p>{text.text(count)}</p>
      <p>
        <strong>{text.forGood}</strong>
      </p>
      <Field
        label={text.until}
        hint={text.hint(dateText(days.latest))}
        fault={isOffered ? undefined : text.fault(dateText(days.earliest), dateText(days.latest))}
      >
        {(input) => (
          <input
            {...input}
            type="date"
            value={day}
            min={days.earliest}
            max={days.latest}
            onInput={(event) => onDay(event.currentTarget.value)}
          />
        )}
      </Field>
    </>
  )
}
