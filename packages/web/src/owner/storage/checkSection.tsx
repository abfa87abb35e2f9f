/** What to check and how closely; then how far it is. */
import type { AlbumId, AssetId } from '@blindkeep/protocol/ids'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Button, Progress } from '../../common/controls.tsx'
import { useLoaded } from '../../common/useLoaded.ts'
import { useRefreshed } from '../../common/useRefreshed.ts'
import { assetFeedOf } from '../albums/assetFeed.ts'
import { useLive, useOwnerPages } from '../context.ts'
import { ErrorNotice } from '../errorNotice.tsx'
import { AssetPicker } from './assetPicker.tsx'
import { type CatalogEntry, readCatalog } from './catalog.ts'
import { type CheckDepth, checkRunOf } from './checkRun.ts'
import { storageText } from './storageText.ts'
import { useStore } from './store.ts'

export function CheckSection() {
  const { owner, baseUrl, language } = useOwnerPages()
  const text = storageText(language).check
  const state = useStore(checkRunOf(owner, baseUrl))
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
  const { owner, baseUrl, language } = useOwnerPages()
  const text = storageText(language).check
  const run = checkRunOf(owner, baseUrl)
  const { asked, outcomes, ready } = useStore(run)
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => box.current?.focus(), [])
  const done = outcomes.size
  return (
    <div class="stack" ref={box} tabIndex={-1}>
      <p role="status">
        <strong>{text.running(done, asked.length)}</strong>
      </p>
      {/* What is ready for the verdict is half of the way. */}
      <Progress label={text.runningTitle} value={done + Math.min(ready, asked.length - done) / 2} max={asked.length} />
      <p class="small soft">{text.canLeave}</p>
      <div>
        <Button icon="close" onClick={run.stop}>
          {text.cancel}
        </Button>
      </div>
    </div>
  )
}

type Scope = 'all' | 'album' | 'some'

function Choice() {
  const { owner, baseUrl, language } = useOwnerPages()
  const text = storageText(language).check
  const catalog = useRefreshed(() => readCatalog(assetFeedOf(owner)))
  const albums = useLoaded(() => owner.albums())
  useLive(['asset.changed', 'drop.adopted'], catalog.reload)
  const [scope, setScope] = useState<Scope>('all')
  const [albumId, setAlbumId] = useState<AlbumId>()
  const [chosen, setChosen] = useState<ReadonlySet<AssetId>>(new Set())
  const [depth, setDepth] = useState<CheckDepth>('deep')
  const [isPicking, setPicking] = useState(false)
  const error = catalog.error ?? albums.error
  if (error !== undefined)
    return (
      <ErrorNotice
        error={error}
        language={language}
        onRetry={() => {
          catalog.reload()
          albums.reload()
        }}
      />
    )
  const { value: all } = catalog
  if (all === undefined || albums.value === undefined) return <Progress label={text.runningTitle} />
  if (all.length === 0) return <p>{text.nothing}</p>
  const inUse = albums.value.filter((album) => all.some(({ facts }) => facts.albumId === album.albumId))
  const album = inUse.find((one) => one.albumId === albumId) ?? inUse[0]
  const entries = entriesOf(all, { scope, albumId: album?.albumId, chosen })
  const albumName = album?.name ?? text.albumUnnamed
  const words = scope === 'all' ? text.all(all.length) : scope === 'album' ? albumName : text.chosen(entries.length)
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (entries.length > 0) void checkRunOf(owner, baseUrl).start({ entries, depth, scope: words })
      }}
    >
      <fieldset class="field">
        <legend>{text.scope}</legend>
        <Radio name="scope" checked={scope === 'all'} onChoose={() => setScope('all')} label={text.all(all.length)} />
        {inUse.length > 1 && (
          <Radio name="scope" checked={scope === 'album'} onChoose={() => setScope('album')} label={text.album} />
        )}
        {scope === 'album' && (
          <select
            class="indented"
            aria-label={text.albumLabel}
            value={album?.albumId}
            onChange={({ currentTarget: { value } }) => setAlbumId(inUse.find((one) => one.albumId === value)?.albumId)}
          >
            {inUse.map((one) => (
              <option key={one.albumId} value={one.albumId}>
                {one.name ?? text.albumUnnamed}
              </option>
            ))}
          </select>
        )}
        <Radio name="scope" checked={scope === 'some'} onChoose={() => setScope('some')} label={text.some} />
        {scope === 'some' && (
          <div class="row indented">
            <Button onClick={() => setPicking(true)}>{text.choose}</Button>
            <span class="soft">{text.chosen(entries.length)}</span>
          </div>
        )}
      </fieldset>
      <fieldset class="field">
        <legend>{text.depth}</legend>
        <Radio
          name="depth"
          checked={depth === 'deep'}
          onChoose={() => setDepth('deep')}
          label={text.deep}
          hint={text.deepHint}
        />
        <Radio
          name="depth"
          checked={depth === 'structural'}
          onChoose={() => setDepth('structural')}
          label={text.structural}
          hint={text.structuralHint}
        />
      </fieldset>
      <div>
        <Button kind="primary" icon="shield" submits disabled={entries.length === 0}>
          {text.start}
        </Button>
      </div>
      {isPicking && (
        <AssetPicker
          entries={all}
          chosen={chosen}
          onChosen={(ids) => {
            setChosen(ids)
            setPicking(false)
          }}
        />
      )}
    </form>
  )
}

interface Choosing {
  readonly scope: Scope
  readonly albumId: AlbumId | undefined
  readonly chosen: ReadonlySet<AssetId>
}

function entriesOf(all: readonly CatalogEntry[], { scope, albumId, chosen }: Choosing): readonly CatalogEntry[] {
  if (scope === 'all') return all
  if (scope === 'album') return all.filter(({ facts }) => facts.albumId === albumId)
  return all.filter(({ assetId }) => chosen.has(assetId))
}

interface RadioProps {
  readonly name: string
  readonly checked: boolean
  readonly onChoose: () => void
  readonly label: string
  readonly hint?: string | undefined
}

function Radio({ name, checked, onChoose, label, hint }: RadioProps) {
  const id = useId()
  return (
    <div class="check">
      <input
        type="radio"
        id={id}
        name={name}
        checked={checked}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={onChoose}
      />
      <div>
        <label for={id}>{label}</label>
        {hint !== undefined && (
          <div id={`${id}-hint`} class="hint">
            {hint}
          </div>
        )}
      </div>
    </div>
  )
}
