import { useEffect, useRef } from 'preact/hooks'
import { Icon } from '../common/icons.tsx'
import { useText } from '../common/reader.ts'
import { AllReceipts } from './allReceipts.tsx'
import { FewFiles } from './fewFiles.tsx'
import type { Snapshot } from './messages.ts'
import { earlierOf, isForOneFile, isShut, type Outcome, outcomeOf, unsentOf } from './standing.ts'
import { type GuestTexts, guestTexts } from './texts.ts'
import { isFocusFree } from './useFocusFallback.ts'

/** Appears when no file is on its way any more. Says also which files have not arrived. */
export function DoneCard({ snapshot }: { readonly snapshot: Snapshot }) {
  const text = useText(guestTexts)
  const { counts, checkedReceipts, missingReceipts, alarms } = snapshot
  const heading = useRef<HTMLHeadingElement>(null)
  const outcome = outcomeOf(snapshot)
  const isDone = outcome !== undefined
  useEffect(() => {
    // A guest who types a note for the next files keeps the focus.
    if (isDone && isFocusFree()) heading.current?.focus()
  }, [isDone])
  if (outcome === undefined) return null
  const isChecking = checkedReceipts + missingReceipts + alarms < counts.landed
  const isProven = alarms === 0 && missingReceipts === 0
  const unsent = unsentOf(snapshot)
  const earlier = earlierOf(snapshot)
  const isGood = isProven && outcome.missing === 0 && unsent === 0
  const proof = outcome.missing > 0 || unsent > 0 ? text.done.checkedArrived : text.done.checked(counts.landed)
  const status = isChecking ? text.done.checking : isProven ? proof : text.done.unproven(alarms + missingReceipts)
  const last = isForOneFile(snapshot) ? text.done.onlyOne : isShut(snapshot) ? text.done.full : text.done.close
  return (
    <section class={`card done-card ${isGood ? '' : 'unproven'}`} aria-labelledby="done-heading">
      <div class="done-art">
        <Icon name={isGood ? 'shield' : 'alert'} />
      </div>
      <div class="stack tight grow">
        <h2 id="done-heading" ref={heading} tabIndex={-1}>
          {headingOf(outcome, unsent, text)}
        </h2>
        <MissingFiles outcome={outcome} />
        <p>{status}</p>
        {earlier > 0 && <p>{text.done.earlier(earlier, counts.landed)}</p>}
        {!isChecking && alarms === 0 && outcome.isAll && <p class="soft">{last}</p>}
        <AllReceipts snapshot={snapshot} />
      </div>
    </section>
  )
}

/** Never that all have arrived while some are chosen and not sent, or have to be chosen again. */
export function headingOf(
  { landed, missing }: Pick<Outcome, 'landed' | 'missing'>,
  unsent: number,
  { done }: GuestTexts,
): string {
  if (missing > 0) return done.some(landed, missing)
  return unsent > 0 ? done.waiting(landed, unsent) : done.title(landed)
}

function MissingFiles({ outcome: { missing, shown } }: { readonly outcome: Outcome }) {
  const text = useText(guestTexts)
  if (missing === 0) return null
  return (
    <>
      <FewFiles rows={shown} count={missing} />
      <p class="soft">{text.done.rest}</p>
    </>
  )
}
