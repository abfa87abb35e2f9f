/** The results of a check: the summary, each file, and what the results mean. */
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Button, Name, Notice } from '../../common/controls/controls.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { isolated } from '../../common/names/isolated.ts'
import { spokenName, visibleName } from '../../common/names/visibleName.ts'
import { useRefreshed } from '../../common/work/useRefreshed.ts'
import { assetFeedOf } from '../assets/assetFeed.ts'
import { TrustBadge } from '../assets/trustBadge.tsx'
import { useLive, useOwnerPages } from '../ground/ownerPages.ts'
import { storageTexts } from '../ground/texts.ts'
import { showsCause, useCauseText } from './causeText.ts'
import { type CheckState, checkRunOf, isUnchecked } from './checkRun.ts'
import { isListed } from './compare.ts'
import { OutcomeBadge } from './outcomeBadge.tsx'
import { type Outcome, SUMMARY_TONES, summaryOf, type Tally, TONES, tallyOf } from './outcomes.ts'
import type { ReceiptsOf } from './receiptsDialog.tsx'
import { countWords, spanOf, summaryWords } from './report.ts'
import { ReportButtons } from './reportButtons.tsx'
import { useRunState } from './runState.ts'
import { SampleNotice } from './sampleResult.tsx'

const SHOWN_AT_ONCE = 50
const TONE_ORDER = { bad: 0, warn: 1, info: 2, good: 3 } as const

interface CheckResultsProps {
  readonly onReceipts: (of: ReceiptsOf) => void
}

export function CheckResults({ onReceipts }: CheckResultsProps) {
  const { owner, baseUrl } = useOwnerPages()
  const text = useText(storageTexts)
  const state = useRunState(checkRunOf(owner, baseUrl))
  const heading = useRef<HTMLHeadingElement>(null)
  const lastPhase = useRef(state.phase)
  const [shown, setShown] = useState(SHOWN_AT_ONCE)
  const printAll = () => {
    setShown(Number.POSITIVE_INFINITY)
    // After the whole list is drawn.
    requestAnimationFrame(() => requestAnimationFrame(() => print()))
  }
  useEffect(() => {
    // Only when the check ends while the page is shown, not when the page is opened again.
    if (lastPhase.current === 'running' && state.phase === 'ended') heading.current?.focus()
    lastPhase.current = state.phase
  }, [state.phase])
  if (state.phase === 'none' || (state.phase === 'running' && state.outcomes.size === 0)) return null
  const tally = tallyOf(state.outcomes.values(), state.entries.length, state.inbox)
  return (
    <section class="card stack" aria-labelledby="results-heading">
      <h2 id="results-heading" ref={heading} tabIndex={-1}>
        {text.results.heading}
      </h2>
      <p class="soft small">
        {state.scope} · {text.report[state.depth]}
      </p>
      {state.phase === 'ended' && <Conclusion state={state} tally={tally} />}
      <Files state={state} onReceipts={onReceipts} shown={shown} onShown={setShown} />
      {state.phase === 'ended' && tally.total > 0 && (
        <>
          <SafeElsewhere tally={tally} />
          <Limits tally={tally} isSample={state.sampled !== undefined} />
          <ReportButtons state={state} onPrint={printAll} />
        </>
      )}
    </section>
  )
}

function Conclusion({ state, tally }: { readonly state: CheckState; readonly tally: Tally }) {
  const { owner, baseUrl } = useOwnerPages()
  const text = useText(storageTexts)
  const format = useText(formats)
  const causeText = useCauseText()
  const span = spanOf(state.outcomes.values())
  const unchecked = state.entries.filter(({ assetId }) => isUnchecked(state.outcomes.get(assetId))).length
  return (
    <div class="stack">
      <Notice tone={SUMMARY_TONES[summaryOf(tally)]}>
        <p>
          <strong>{summaryWords(tally, text)}</strong>
        </p>
        {countWords(tally, text).length > 1 && <p class="small">{countWords(tally, text).join(' · ')}</p>}
        {tally.inbox !== undefined && <p>{text.results.inbox(tally.inbox)}</p>}
        {span !== undefined && (
          <p class="small">{text.results.between(format.instant(span.from), format.instant(span.to))}</p>
        )}
      </Notice>
      <ChangedSince entries={state.entries} />
      {state.sampled !== undefined && <SampleNotice run={state.sampled} />}
      {state.wasStopped && <p>{text.check.stopped}</p>}
      {state.error !== undefined && (
        <Notice tone="warn">
          <p>
            {text.check.failed} {causeText(state.error)}
          </p>
        </Notice>
      )}
      {unchecked > 0 && (
        <div class="no-print">
          <Button icon="retry" onClick={() => void checkRunOf(owner, baseUrl).resume()}>
            {text.check.resume(unchecked)}
          </Button>
        </div>
      )}
    </div>
  )
}

/** The results are about their instant: one that was deleted since is still among them. */
function ChangedSince({ entries }: Pick<CheckState, 'entries'>) {
  const { owner } = useOwnerPages()
  const text = useText(storageTexts).results
  const { value: listed, reload } = useRefreshed(() => assetFeedOf(owner).refresh())
  useLive(['asset.changed', 'drop.adopted'], reload)
  const changed = listed === undefined ? 0 : entries.filter(({ facts }) => !isListed(facts, listed)).length
  return changed === 0 ? null : <Notice tone="warn">{text.changedSince(changed)}</Notice>
}

interface FilesProps extends CheckResultsProps {
  readonly state: CheckState
  /** The number of files that are listed. */
  readonly shown: number
  readonly onShown: (shown: number) => void
}

function Files({ state, onReceipts, shown, onShown }: FilesProps) {
  const text = useText(storageTexts).results
  const [onlyProblems, setOnlyProblems] = useState(false)
  // Files that must be kept elsewhere come first.
  const outcomes = [...state.outcomes.values()].sort((a, b) => TONE_ORDER[TONES[a.kind]] - TONE_ORDER[TONES[b.kind]])
  const listed = onlyProblems ? outcomes.filter(({ kind }) => isDoubtful(kind)) : outcomes
  const id = useId()
  return (
    <div class="stack">
      {outcomes.length > 1 && (
        <fieldset class="row no-print" aria-labelledby={id}>
          <span id={id} class="soft">
            {text.filter}
          </span>
          {[false, true].map((value) => (
            <button
              key={String(value)}
              type="button"
              class={`button ${onlyProblems === value ? '' : 'quiet'}`}
              aria-pressed={onlyProblems === value}
              onClick={() => setOnlyProblems(value)}
            >
              {value ? text.filterProblems : text.filterAll}
            </button>
          ))}
        </fieldset>
      )}
      {listed.length === 0 ? (
        <p class="soft">{text.noProblems}</p>
      ) : (
        <ul class="outcomes">
          {listed.slice(0, shown).map((outcome) => (
            <OutcomeRow key={outcome.assetId} outcome={outcome} onReceipts={onReceipts} />
          ))}
        </ul>
      )}
      {listed.length > shown && (
        <div class="no-print">
          <Button kind="quiet" onClick={() => onShown(shown + SHOWN_AT_ONCE)}>
            {text.more(Math.min(SHOWN_AT_ONCE, listed.length - shown))}
          </Button>
        </div>
      )}
    </div>
  )
}

function isDoubtful(kind: Outcome['kind']): boolean {
  return TONES[kind] === 'bad' || TONES[kind] === 'warn'
}

function OutcomeRow({ outcome, onReceipts }: CheckResultsProps & { readonly outcome: Outcome }) {
  const text = useText(storageTexts)
  const format = useText(formats)
  const causeText = useCauseText()
  const { assetId, kind, name, size, parts, cause, hashes, signerRevokedAt, sampleFault } = outcome
  const visible = visibleName(name)
  const shownName = visible ?? text.results.unnamed
  const isUnread = kind === 'not_yet' || kind === 'not_examined'
  const ofParts = isUnread ? text.results.unread : text.results.concerned
  return (
    <li class="row apart">
      <div class="grow stack tight">
        <p>
          {visible === undefined ? <em>{shownName}</em> : <Name>{visible}</Name>}
          {size !== undefined && <span class="small soft"> · {format.bytes(size)}</span>}
        </p>
        <p>
          <OutcomeBadge tone={TONES[kind]}>{text.kinds[kind].title}</OutcomeBadge>
        </p>
        {signerRevokedAt !== undefined && <TrustBadge trust={{ kind: 'revoked', revokedAt: signerRevokedAt }} />}
        {kind !== 'held_deep' && <p class="small soft">{text.kinds[kind].meaning}</p>}
        {sampleFault !== undefined && <p class="small">{text.sample.faults[sampleFault]}</p>}
        {parts.length > 0 && <p class="small soft">{ofParts(parts.map((part) => text.parts[part]).join(', '))}</p>}
        {cause !== undefined && showsCause(kind) && <p class="small">{causeText(cause)}</p>}
      </div>
      <button
        type="button"
        class="button quiet no-print"
        aria-label={text.results.receiptsOf(isolated(spokenName(name, text.results.unnamed)))}
        onClick={() => onReceipts({ assetId, name: shownName, hashes })}
      >
        {text.results.receipts}
      </button>
    </li>
  )
}

/** A check alone never says that a copy may be deleted: only a comparison with the copy does (`CompareSection`). */
function SafeElsewhere({ tally }: { readonly tally: Tally }) {
  const text = useText(storageTexts).safe
  const answers = {
    nothing: text.notYet,
    inbox_only: text.notYet,
    problems: text.no,
    unchecked: text.notYet,
    structural: text.notDeep,
  }
  const summary = summaryOf(tally)
  return (
    <div class="stack tight safe">
      <h3>{text.heading}</h3>
      <p>{summary === 'all_read' ? text.compare : answers[summary]}</p>
      <div class="no-print">
        <Button onClick={() => document.getElementById('compare-heading')?.focus()}>{text.action}</Button>
      </div>
    </div>
  )
}

function Limits({ tally, isSample }: { readonly tally: Tally; readonly isSample: boolean }) {
  const { results: text, sample } = useText(storageTexts)
  const done = tally.deep > 0 ? [...text.checkedDone, text.checkedDeep] : text.checkedDone
  return (
    <div class="limits">
      <div class="stack tight">
        <h3>{text.checkedHeading}</h3>
        <ul class="bullets small">
          {done.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      </div>
      <div class="stack tight">
        <h3>{text.uncheckedHeading}</h3>
        <ul class="bullets small">
          {[...(isSample ? sample.limits : []), ...text.uncheckedList].map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      </div>
    </div>
  )
}
