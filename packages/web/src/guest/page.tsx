import type { ComponentChild } from 'preact'
import { useMemo, useRef, useState } from 'preact/hooks'
import { ExposedNotice } from '../common/controls/exposedNotice.tsx'
import { Mark } from '../common/controls/mark.tsx'
import { OperatorNote } from '../common/controls/operatorNote.tsx'
import { LanguageSelect } from '../common/language/languageSelect.tsx'
import { useText } from '../common/language/reader.ts'
import { browserFeatures, missingSupport } from './browserSupport.ts'
import { DropZone } from './form/dropZone.tsx'
import { GiveForm } from './form/giveForm.tsx'
import type { Snapshot } from './ground/messages.ts'
import { canContinue, isForOneFile, isShut } from './ground/standing.ts'
import { TellContext } from './ground/tell.ts'
import { guestTexts } from './ground/texts.ts'
import { LinkLimits, SealedHere } from './link/linkLimits.tsx'
import { LinkNotice, UnsupportedNotice } from './link/linkNotice.tsx'
import { OwnersWordsCard } from './link/ownersWordsCard.tsx'
import { PassphraseCard } from './link/passphraseCard.tsx'
import { DoneCard } from './queue/doneCard.tsx'
import { LiveSummary } from './queue/liveSummary.tsx'
import { ProgressCard } from './queue/progressCard.tsx'
import { Queue } from './queue/queue.tsx'
import { UnfinishedCard } from './queue/unfinishedCard.tsx'
import { useFocusFallback } from './queue/useFocusFallback.ts'
import { LateProofDialog } from './receipts/lateProofDialog.tsx'
import { PrintSheet } from './receipts/printSheet.tsx'
import { type GivenLink, useGuest } from './useGuest.ts'
import { useWhileSending } from './useWhileSending.ts'

interface GuestPageProps {
  /** Servers have seen the key of the link. */
  readonly isExposed: boolean
  readonly local?: LocalGuest | undefined
}

/** The page comes from this machine, and not its link from its address. */
export interface LocalGuest extends GivenLink {
  /** Said before the first file is chosen. */
  readonly note: ComponentChild
}

export function GuestPage({ isExposed, local }: GuestPageProps) {
  const missing = useMemo(() => missingSupport(browserFeatures()), [])
  const { snapshot, broken, tell } = useGuest(missing === undefined, local)
  const text = useText(guestTexts)
  useWhileSending(snapshot, tell)
  const main = useRef<HTMLElement>(null)
  useFocusFallback(main)
  const unsupported = missing ?? (broken === 'start' ? 'old' : broken === 'later' ? 'broken' : undefined)
  const isHeld = unsupported === undefined && (snapshot === undefined || snapshot.link.is === 'asking')
  return (
    <TellContext.Provider value={tell}>
      <div class={`guest column no-print ${isHeld ? 'held' : ''}`}>
        <header class="brand">
          <Mark />
          <span>Blindkeep</span>
        </header>
        <main ref={main} class="stack">
          <div class="guest-title">
            <h1>{text.title}</h1>
            <p class="soft">{text.subtitle}</p>
          </div>
          {isExposed && <ExposedNotice text={text.exposed} />}
          {local?.note}
          {unsupported === undefined ? (
            <Working snapshot={snapshot} />
          ) : (
            <UnsupportedNotice what={unsupported} isStored={snapshot?.storage === 'kept'} />
          )}
        </main>
        <footer class="guest-footer">
          <p>{text.footer}</p>
          <LanguageSelect label={text.language} />
          <OperatorNote site={snapshot?.site} text={text.operator} />
        </footer>
      </div>
      {snapshot !== undefined && <PrintSheet snapshot={snapshot} />}
    </TellContext.Provider>
  )
}

/** Is drawn before the first snapshot, and held back until the link's answer, so that nothing moves when it comes. */
function Working({ snapshot }: { readonly snapshot: Snapshot | undefined }) {
  const takesNone = snapshot !== undefined && isShut(snapshot)
  const canChoose = !takesNone || canContinue(snapshot)
  const hasFacts = !takesNone && !(snapshot !== undefined && snapshot.totals.files > 0)
  const isEmpty = snapshot === undefined || snapshot.rows.length === 0
  const [passphrase, setPassphrase] = useState('')
  return (
    <>
      <LiveSummary snapshot={snapshot} />
      {hasFacts && <SealedHere />}
      {snapshot !== undefined && <OwnersWordsCard snapshot={snapshot} />}
      {hasFacts && <LinkLimits snapshot={snapshot} />}
      {snapshot !== undefined && <LinkNotice snapshot={snapshot} />}
      {snapshot !== undefined && <UnfinishedCard snapshot={snapshot} />}
      {snapshot !== undefined && <PassphraseCard snapshot={snapshot} typed={passphrase} onTyped={setPassphrase} />}
      {snapshot !== undefined && <DoneCard snapshot={snapshot} />}
      {snapshot !== undefined && <ProgressCard snapshot={snapshot} />}
      <GiveForm
        // Begins again when what the guest has written is read, and when the guest forgets it.
        key={snapshot?.messageTurn}
        snapshot={snapshot}
        passphrase={passphrase}
        onPassphrase={setPassphrase}
        chooser={
          canChoose ? (
            <DropZone
              isCompact={!isEmpty || takesNone}
              isSingle={snapshot !== undefined && isForOneFile(snapshot)}
              isShut={takesNone}
              isReady={snapshot !== undefined}
              isFirst={snapshot === undefined || snapshot.unfinished.length === 0}
              fileKinds={snapshot?.link.is === 'open' ? snapshot.link.words.fileKinds : undefined}
              carriesMessage={snapshot !== undefined && snapshot.counts.chosen === 0 && snapshot.messages.length > 0}
              remarks={snapshot?.remarks ?? []}
            />
          ) : undefined
        }
      >
        {snapshot !== undefined && <Queue snapshot={snapshot} />}
      </GiveForm>
      {snapshot?.proofs !== undefined && <LateProofDialog proofs={snapshot.proofs} />}
    </>
  )
}
