import { useEffect, useRef } from 'preact/hooks'
import { Button } from '../common/controls.tsx'
import { Icon } from '../common/icons.tsx'
import type { Snapshot } from './messages.ts'
import { useGuestPages } from './texts.ts'

/** The good end, said once all that was sent has landed. */
export function DoneCard({ snapshot }: { readonly snapshot: Snapshot }) {
  const { text, tell } = useGuestPages()
  const { totals, counts, checkedReceipts, alarms } = snapshot
  const heading = useRef<HTMLHeadingElement>(null)
  const isDone = totals.files > 0 && totals.landed === totals.files
  useEffect(() => {
    if (isDone) heading.current?.focus()
  }, [isDone])
  if (!isDone) return null
  const isChecked = checkedReceipts + alarms >= counts.landed
  return (
    <section class="card done-card" aria-labelledby="done-heading">
      <div class="done-art">
        <Icon name="shield" />
      </div>
      <div class="stack tight grow">
        <h2 id="done-heading" ref={heading} tabIndex={-1}>
          {counts.failed > 0 ? text.done.some(totals.landed, counts.failed) : text.done.title(totals.landed)}
        </h2>
        <p>{isChecked ? alarms === 0 && text.done.checked(counts.landed) : text.done.checking}</p>
        <p class="soft">{text.done.close}</p>
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
