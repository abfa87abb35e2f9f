import { useEffect, useRef } from 'preact/hooks'
import { Icon } from '../../common/controls/icons.tsx'
import { useText } from '../../common/language/reader.ts'
import type { Snapshot } from '../ground/messages.ts'
import {
  earlierOf,
  isChecking,
  isForOneFile,
  isProven,
  isShut,
  type Outcome,
  outcomeOf,
  unsentOf,
} from '../ground/standing.ts'
import { type GuestTexts, guestTexts } from '../ground/texts.ts'
import { AllReceipts } from '../receipts/allReceipts.tsx'
import { FewFiles } from './fewFiles.tsx'
import { isFocusFree } from './useFocusFallback.ts'

/** Appears when no file is on its way any more. Says also which files have not arrived. */
export function DoneCard({ snapshot }: { readonly snapshot: Snapshot }) {
  const text = useText(guestTexts)
  const { checkedReceipts, missingReceipts, alarms } = snapshot
  const heading = useRef<HTMLHeadingElement>(null)
  const outcome = outcomeOf(snapshot)
  const isDone = outcome !== undefined
  useEffect(() => {
    // A guest who types a note for the next files keeps the focus.
    if (isDone && isFocusFree()) heading.current?.focus()
  }, [isDone])
  if (outcome === undefined) return null
  const unsent = unsentOf(snapshot)
  const earlier = earlierOf(snapshot)
  const proven = isProven(snapshot)
  const isGood = proven && outcome.missing === 0 && unsent === 0
  const proof = outcome.missing > 0 || unsent > 0 ? text.done.checkedArrived : text.done.checked(checkedReceipts)
  const checking = isChecking(snapshot)
  const last = isForOneFile(snapshot) ? text.done.onlyOne : isShut(snapshot) ? text.done.full : text.done.close
  return (
    <section class={`card done-card ${isGood ? '' : 'unproven'}`} aria-labelledby="done-heading">
      <div class="done-art">
        <Icon name={isGood ? 'shield' : 'alert'} />
      </div>
      <div class="stack tight grow">
        <h2 id="done-heading" ref={heading} tabIndex={-1}>
          {checking ? text.done.checking : headingOf(outcome, unsent, text)}
        </h2>
        <MissingFiles outcome={outcome} />
        {!checking && <p>{proven ? proof : text.done.unproven(alarms + missingReceipts)}</p>}
        {earlier > 0 && <p>{text.done.earlier(earlier, checkedReceipts)}</p>}
        {proven && outcome.isAll && <p class="soft">{last}</p>}
        <AllReceipts snapshot={snapshot} />
      </div>
    </section>
  )
}

/** Never that all have arrived while some are not proven, not sent, or have to be chosen again. */
export function headingOf(
  { arrived, unproven, missing }: Pick<Outcome, 'arrived' | 'unproven' | 'missing'>,
  unsent: number,
  { done }: GuestTexts,
): string {
  if (unproven + missing + unsent === 0) return done.title(arrived)
  const parts = [
    arrived > 0 ? done.arrived(arrived) : '',
    unproven > 0 ? done.notProven(unproven) : '',
    missing > 0 ? done.notSent(missing) : unsent > 0 ? done.waiting(unsent) : '',
  ]
  return parts.filter((part) => part !== '').join(', ')
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
