/** "May I delete my copy?" The only place in these pages that ever answers yes. */
import { useLayoutEffect, useState } from 'preact/hooks'
import { Button, Name, Progress } from '../../common/controls/controls.tsx'
import { type FoundFile, filesOfInput, filesOfTransfer } from '../../common/files/chosenFiles.ts'
import { useFileInput } from '../../common/files/fileInput.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { filePath } from '../../common/names/filePath.ts'
import { isolated } from '../../common/names/isolated.ts'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'
import { useLive, useOwnerPages } from '../ground/ownerPages.ts'
import { storageTexts } from '../ground/texts.ts'
import { showsCause, useCauseText } from './causeText.ts'
import { type CompareState, compareTone, type LocalCopy, UNCOMPARED, verdictOn } from './compare.ts'
import { type ChosenFile, compareRunOf } from './compareRun.ts'
import { OutcomeBadge } from './outcomeBadge.tsx'
import { useRunState } from './runState.ts'

const SHOWN_AT_ONCE = 50

export function CompareSection() {
  const { owner, baseUrl } = useOwnerPages()
  const { compare: text, results } = useText(storageTexts)
  const run = compareRunOf(owner, baseUrl)
  const state = useRunState(run)
  // Before anything is painted: what was confirmed may have been deleted on another page.
  useLayoutEffect(() => void run.review(), [run])
  useLive(['asset.changed', 'drop.adopted'], () => void run.review())
  return (
    <section class={`card stack ${state.copies.length === 0 ? 'no-print' : ''}`} aria-labelledby="compare-heading">
      <div class="stack tight">
        <h2 id="compare-heading" tabIndex={-1}>
          {text.heading}
        </h2>
        <p class="soft">{text.intro}</p>
      </div>
      <Chooser onChosen={(chosen) => void run.add(chosen)} />
      {state.error !== undefined && <ErrorNotice error={state.error} onRetry={() => void run.retry()} />}
      {state.isRunning && <Comparing state={state} onStop={run.stop} />}
      {/* Always in the page: screen readers announce only changes of an element that exists. */}
      <div role="status" class="announced">
        <Verdict state={state} />
      </div>
      {state.copies.length > 0 && <Copies state={state} />}
      {state.copies.length > 0 && !state.isRunning && (
        <div class="row no-print">
          {state.copies.some(({ kind }) => kind !== 'safe') && (
            <Button icon="retry" onClick={() => void run.retry()}>
              {text.again}
            </Button>
          )}
          <Button kind="quiet" onClick={run.clear}>
            {text.clear}
          </Button>
          <Button kind="quiet" icon="print" onClick={() => print()}>
            {results.print}
          </Button>
        </div>
      )}
    </section>
  )
}

function Chooser({ onChosen }: { readonly onChosen: (chosen: readonly ChosenFile[]) => void }) {
  const { showMessage } = useOwnerPages()
  const { compare: text, compareKinds } = useText(storageTexts)
  const unreadable = `${compareKinds.file_unreadable.title}. ${compareKinds.file_unreadable.meaning}`
  const [isOver, setOver] = useState(false)
  const choose = (found: readonly FoundFile[]) => {
    const chosen = found.map(({ file, folder }) => ({ file, name: filePath({ folder, name: file.name }) }))
    if (chosen.length > 0) onChosen(chosen)
  }
  const chooseInput = (list: readonly File[]) => choose(filesOfInput(list))
  const files = useFileInput({ label: text.chooseFiles, onFiles: chooseInput })
  const folder = useFileInput({ from: 'folder', label: text.chooseFolder, onFiles: chooseInput })
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way; the buttons inside work for everyone
    <div
      class={`drop-here no-print ${isOver ? 'over' : ''}`}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        void filesOfTransfer(event.dataTransfer).then((found) => {
          if (found.unreadable.length > 0) showMessage({ tone: 'bad', text: unreadable })
          else choose(found.files)
        })
      }}
    >
      <div class="row">
        <Button icon="file" onClick={files.open}>
          {text.chooseFiles}
        </Button>
        <Button icon="folder" onClick={folder.open}>
          {text.chooseFolder}
        </Button>
        <span class="soft small drop-words">{text.dropHere}</span>
      </div>
      {files.input}
      {folder.input}
    </div>
  )
}

function Comparing({ state, onStop }: { readonly state: CompareState; readonly onStop: () => void }) {
  const text = useText(storageTexts).compare
  const { copies, progress } = state
  const done = copies.filter(({ kind }) => kind !== 'waiting' && kind !== 'comparing').length
  const current = copies.find(({ kind }) => kind === 'comparing')
  return (
    <div class="stack no-print">
      <p>
        <strong>{text.running(done, copies.length)}</strong>
      </p>
      <Progress
        label={text.running(done, copies.length)}
        value={done + progress.bytes / (progress.of + 1)}
        max={copies.length}
      />
      {current !== undefined && <p class="small soft">{text.reading(isolated(current.name))}</p>}
      <div>
        <Button icon="close" onClick={onStop}>
          {text.cancel}
        </Button>
      </div>
    </div>
  )
}

function Verdict({ state }: { readonly state: CompareState }) {
  const text = useText(storageTexts).compare
  const format = useText(formats)
  const verdict = verdictOn(state)
  if (verdict.answer === 'yes')
    return (
      <div class="verdict good">
        <h3>{text.yesHeading(verdict.count)}</h3>
        <p>{text.yes(text.when(format.instant(verdict.from), format.instant(verdict.to)))}</p>
      </div>
    )
  if (verdict.answer === 'none') return state.copies.length === 0 ? null : <p class="soft">{text.runningVerdict}</p>
  const { kept, total } = verdict
  return (
    <div class="verdict bad">
      <h3>{text.noHeading(kept.length, total)}</h3>
      <p>{text.no}</p>
      <ul class="bullets">
        {kept.slice(0, MAX_NAMED).map(({ id, name }) => (
          <li key={id}>
            <Name>{name}</Name>
          </li>
        ))}
        {kept.length > MAX_NAMED && <li>…</li>}
      </ul>
      {kept.length < total && <p>{text.some(total - kept.length)}</p>}
    </div>
  )
}

/** The list below names all of them. */
const MAX_NAMED = 5

function Copies({ state }: { readonly state: CompareState }) {
  const text = useText(storageTexts)
  const [shown, setShown] = useState(SHOWN_AT_ONCE)
  // Copies that must be kept come first.
  const sorted = state.copies.toSorted((a, b) => Number(a.kind === 'safe') - Number(b.kind === 'safe'))
  return (
    <div class="stack">
      <h3>{text.compare.mine}</h3>
      <ul class="outcomes">
        {sorted.slice(0, shown).map((copy) => (
          <CopyRow
            key={copy.id}
            copy={state.isCurrent || copy.kind !== 'safe' ? copy : { ...copy, ...UNCOMPARED }}
            keptName={copy.kept && state.keptNames.get(copy.kept.assetId)}
          />
        ))}
      </ul>
      {sorted.length > shown && (
        <div class="no-print">
          <Button kind="quiet" onClick={() => setShown(shown + SHOWN_AT_ONCE)}>
            {text.results.more(Math.min(SHOWN_AT_ONCE, sorted.length - shown))}
          </Button>
        </div>
      )}
    </div>
  )
}

function CopyRow({ copy, keptName }: { readonly copy: LocalCopy; readonly keptName: string | undefined }) {
  const text = useText(storageTexts)
  const format = useText(formats)
  const causeText = useCauseText()
  const { kind, name, file, checkedAt, cause } = copy
  const { title, meaning } = text.compareKinds[kind]
  return (
    <li class="stack tight">
      <p>
        <Name>{name}</Name> <span class="small soft">· {format.bytes(file.size)}</span>
      </p>
      <p>
        <OutcomeBadge tone={compareTone(kind)}>{title}</OutcomeBadge>
      </p>
      <p class="small soft">
        {meaning}
        {checkedAt !== undefined && ` ${text.results.between(format.instant(checkedAt), format.instant(checkedAt))}`}
      </p>
      {keptName !== undefined && keptName !== name && (
        <p class="small soft">{text.compare.keptAs(isolated(keptName))}</p>
      )}
      {cause !== undefined && showsCause(kind) && <p class="small">{causeText(cause)}</p>}
    </li>
  )
}
