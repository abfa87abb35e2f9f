import { useEffect, useRef } from 'preact/hooks'
import { Button } from '../common/controls.tsx'
import { Icon } from '../common/icons.tsx'
import type { Snapshot } from './messages.ts'
import { useGuestPages } from './texts.ts'
import { isFocusFree } from './useFocusFallback.ts'

/** Appears when every file that the guest has sent has landed. */
export function DoneCard({ snapshot }: { readonly snapshot: Snapshot }) {
  const { text, tell } = useGuestPages()
  const { totals, counts, checkedReceipts, missingReceipts, alarms } = snapshot
  const heading = useRef<HTMLHeadingElement>(null)
  const isDone = totals.files > 0 && totals.landed === totals.files
  useEffect(() => {
    // A guest who types a note for the next files keeps the focus.
    if (isDone && isFocusFree()) heading.current?.focus()
  }, [isDone])
  if (!isDone) return null
  const isChecking = checkedReceipts + missingReceipts + alarms < counts.landed
  const isGood = alarms === 0 && missingReceipts === 0
  const status = isChecking
    ? text.done.checking
    : isGood
      ? text.done.checked(counts.landed)
      : text.done.unproven(alarms + missingReceipts)
  return (
    <section class={`card done-card ${isGood ? '' : 'unproven'}`} aria-labelledby="done-heading">
      <div class="done-art">
        <Icon name={isGood ? 'shield' : 'alert'} />
      </div>
      <div class="stack tight grow">
        <h2 id="done-heading" ref={heading} tabIndex={-1}>
          {counts.failed > 0 ? text.done.some(totals.landed, counts.failed) : text.done.title(totals.landed)}
        </h2>
        <p>{status}</p>
        {!isChecking && alarms === 0 && <p class="soft">{text.done.close}</p>}
        {checkedReceipts > 0 && (
          <div class="row">
            <Button icon="download" onClick={() => tell({ do: 'saveReceipts' })}>
              {text.receipt.saveAll(checkedReceipts)}
            </Button>
            <Button icon="print" onClick={() => window.print()}>
              {text.receipt.print}
            </Button>
          </div>
        )}
      </div>
    </section>
  )
}
