import { Button, IconButton, Progress } from '../../common/controls/controls.tsx'
import { Icon, type IconName } from '../../common/controls/icons.tsx'
import { Redrawn } from '../../common/drawing/redrawn.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import type { Phase, Row } from '../ground/messages.ts'
import { useTell } from '../ground/tell.ts'
import { guestTexts, type Words } from '../ground/texts.ts'
import { ReceiptView } from '../receipts/receiptView.tsx'
import { RowName } from './rowName.tsx'

interface QueueRowProps {
  readonly row: Row
  readonly waitsForPassphrase: boolean
  /** The guest must confirm before the row is cancelled. */
  readonly onConfirmCancel: (row: Row) => void
}

export function QueueRow({ row, waitsForPassphrase, onConfirmCancel }: QueueRowProps) {
  return (
    <Redrawn
      parts={[row.id, row.revision, waitsForPassphrase]}
      draw={() => (
        <li class={`queue-row ${hasArrived(row) ? 'arrived' : row.phase}`}>
          <RowIcon row={row} />
          <div class="grow stack tight">
            <RowName {...row} />
            <RowStatus row={row} waitsForPassphrase={waitsForPassphrase} />
            {isMoving(row.phase) && (
              <Progress label={row.name} value={row.doneBytes} max={Math.max(1, row.totalBytes)} />
            )}
            <RowRemedy row={row} />
            {row.receipt !== undefined && <ReceiptView row={row} receipt={row.receipt} />}
          </div>
          <RowActions row={row} onConfirmCancel={onConfirmCancel} />
        </li>
      )}
    />
  )
}

function isMoving(phase: Phase): boolean {
  return phase === 'preparing' || phase === 'sending' || phase === 'paused'
}

const ICONS: Readonly<Partial<Record<Phase, IconName>>> = {
  failed: 'alert',
  unfit: 'alert',
  paused: 'pause',
  cancelled: 'close',
}

/** What the server says of a file is no more than that until its receipt is checked. */
function hasArrived({ phase, receipt }: Row): boolean {
  return phase === 'landed' && receipt?.is === 'checked'
}

function RowIcon({ row }: { readonly row: Row }) {
  const { phase } = row
  const isTurning = phase === 'preparing' || phase === 'finishing'
  return (
    <span class="row-icon">
      {isTurning ? (
        <span class="spinner" aria-hidden="true" />
      ) : (
        <Icon name={hasArrived(row) ? 'check' : (ICONS[phase] ?? 'file')} />
      )}
    </span>
  )
}

interface RowStatusProps {
  readonly row: Row
  readonly waitsForPassphrase: boolean
}

function RowStatus({ row, waitsForPassphrase }: RowStatusProps) {
  const text = useText(guestTexts)
  const format = useText(formats)
  const isBad = row.phase === 'failed' || row.phase === 'unfit'
  return (
    <p class={`small row-status ${isBad ? 'bad' : row.isRetrying ? 'warn' : 'soft'}`}>
      {statusOf(row, waitsForPassphrase, { text, format })}
    </p>
  )
}

function statusOf(row: Row, waitsForPassphrase: boolean, { text, format }: Words): string {
  const { queue, failures } = text
  if (row.failure !== undefined) return failures[row.failure]
  switch (row.phase) {
    case 'sending':
      return queue.sending(format.bytes(row.doneBytes), format.bytes(row.totalBytes))
    case 'waiting':
      return waitsForPassphrase ? queue.waitingForPassphrase : queue.waiting
    case 'landed': {
      const { now, earlier } = hasArrived(row) ? queue.arrived : queue.landed
      return row.landedAt === undefined ? now : earlier(format.instant(row.landedAt))
    }
    case 'unfit':
      return queue.failed
    default:
      return queue[row.phase]
  }
}

/** The button that tries again. */
function RowRemedy({ row }: { readonly row: Row }) {
  const text = useText(guestTexts)
  const tell = useTell()
  const isBackingOff = row.phase === 'waiting' && row.isRetrying
  const isOffered = (row.phase === 'failed' && row.retry !== 'none') || row.phase === 'cancelled' || isBackingOff
  if (!isOffered) return null
  const label =
    row.phase === 'cancelled'
      ? text.actions.again
      : row.retry === 'as_new_file'
        ? text.actions.asNew
        : text.actions.retry
  return (
    <div>
      <Button icon="retry" onClick={() => tell({ do: 'retry', id: row.id })}>
        {label}
      </Button>
    </div>
  )
}

interface RowActionsProps {
  readonly row: Row
  readonly onConfirmCancel: (row: Row) => void
}

function RowActions({ row, onConfirmCancel }: RowActionsProps) {
  const text = useText(guestTexts)
  const tell = useTell()
  const { id, name, phase, isBegun } = row
  if (phase === 'landed' || phase === 'finishing') return null
  const isUnderWay = phase === 'preparing' || phase === 'sending' || phase === 'paused'
  const cancel = () => (isBegun ? onConfirmCancel(row) : tell({ do: isUnderWay ? 'cancel' : 'remove', id }))
  return (
    <div class="row-actions">
      {isUnderWay && (
        // One button for both actions, so that it keeps the focus when it is pressed.
        <IconButton
          icon={phase === 'paused' ? 'play' : 'pause'}
          label={phase === 'paused' ? text.actions.resume(name) : text.actions.pause(name)}
          onClick={() => tell({ do: phase === 'paused' ? 'resume' : 'pause', id })}
        />
      )}
      <IconButton
        icon="close"
        label={isUnderWay ? text.actions.cancel(name) : text.actions.remove(name)}
        onClick={cancel}
      />
    </div>
  )
}
