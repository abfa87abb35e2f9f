/** Starts a check and shows its progress. */
import type { Album } from '@blindkeep/client/owner'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, Progress } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { useLoaded } from '../../common/work/useLoaded.ts'
import { useRefreshed } from '../../common/work/useRefreshed.ts'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'
import { useLive, useOwnerPages } from '../ground/ownerPages.ts'
import { storageTexts } from '../ground/texts.ts'
import { type Catalog, wholeCatalog } from './catalog.ts'
import { type CheckChoice, type ChoiceProps, DepthField, entriesOf, FIRST_CHOICE, ScopeField } from './checkFields.tsx'
import { checkRunOf } from './checkRun.ts'
import { useRunState } from './runState.ts'

export function CheckSection() {
  const { owner, baseUrl } = useOwnerPages()
  const text = useText(storageTexts).check
  const state = useRunState(checkRunOf(owner, baseUrl))
  return (
    <section class="card stack no-print" aria-labelledby="check-heading">
      <div class="stack tight">
        <h2 id="check-heading">{text.heading}</h2>
        <p class="soft">{text.intro}</p>
      </div>
      {state.phase === 'running' ? <Running /> : <Choice />}
    </section>
  )
}

function Running() {
  const { owner, baseUrl } = useOwnerPages()
  const { check: text, sample } = useText(storageTexts)
  const run = checkRunOf(owner, baseUrl)
  const { entries, outcomes, ready, asked } = useRunState(run)
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => box.current?.focus(), [])
  const done = outcomes.size
  return (
    <div class="stack" ref={box} tabIndex={-1}>
      <p role="status">
        <strong>
          {asked === undefined ? text.running(done, entries.length) : sample.running(asked.done, asked.of)}
        </strong>
      </p>
      {/* A file that waits for the verdict counts as half done. */}
      <Progress
        label={text.runningTitle}
        value={asked?.done ?? done + Math.min(ready, entries.length - done) / 2}
        max={asked?.of ?? entries.length}
      />
      <p class="small soft">{text.canLeave}</p>
      <div>
        <Button icon="close" onClick={run.stop}>
          {text.cancel}
        </Button>
      </div>
    </div>
  )
}

function Choice() {
  const { owner } = useOwnerPages()
  const text = useText(storageTexts).check
  const catalog = useRefreshed(() => wholeCatalog(owner))
  const albums = useLoaded(() => owner.albums())
  useLive(['asset.changed', 'drop.adopted', 'drop.landed', 'drop.discarded'], catalog.reload)
  const [choice, setChoice] = useState(FIRST_CHOICE)
  const error = catalog.error ?? albums.error
  const retry = () => {
    catalog.reload()
    albums.reload()
  }
  if (error !== undefined) return <ErrorNotice error={error} onRetry={retry} />
  const { value: all } = catalog
  if (all === undefined || albums.value === undefined) return <Progress label={text.runningTitle} />
  if (all.entries.length === 0 && !all.hasInbox) return <p>{text.nothing}</p>
  const inUse = albums.value.filter((album) => all.entries.some(({ facts }) => facts.albumId === album.albumId))
  const change = (changed: Partial<CheckChoice>) => setChoice((last) => ({ ...last, ...changed }))
  return <ChoiceForm choice={choice} onChoice={change} all={all} albums={inUse} />
}

interface ChoiceFormProps extends ChoiceProps {
  readonly all: Catalog
  /** Albums that contain files. */
  readonly albums: readonly Album[]
}

function ChoiceForm({ choice, onChoice, all, albums }: ChoiceFormProps) {
  const { owner, baseUrl } = useOwnerPages()
  const text = useText(storageTexts).check
  const { scope, depth, samples } = choice
  const album = albums.find((one) => one.albumId === choice.albumId) ?? albums[0]
  const present = { ...choice, albumId: album?.albumId }
  const entries = entriesOf(all.entries, present)
  const withInbox = scope === 'all' && all.hasInbox
  const albumName = album?.name ?? text.albumUnnamed
  const allWords = text.all(all.entries.length, all.hasInbox)
  const words = scope === 'all' ? allWords : scope === 'album' ? albumName : text.chosen(entries.length)
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (entries.length > 0 || withInbox)
          void checkRunOf(owner, baseUrl).start({ entries, withInbox, depth, samples, scope: words })
      }}
    >
      <ScopeField choice={present} onChoice={onChoice} all={all} albums={albums} count={entries.length} />
      <DepthField choice={choice} onChoice={onChoice} entries={entries} />
      <div>
        <Button kind="primary" icon="shield" submits disabled={entries.length === 0 && !withInbox}>
          {text.start}
        </Button>
      </div>
    </form>
  )
}
