/** The choice of files and depth. */
import type { Album } from '@blindkeep/client/owner'
import { MAX_SAMPLE_BYTES, statedSegments } from '@blindkeep/client/verify'
import type { AlbumId, AssetId } from '@blindkeep/protocol/ids'
import { useState } from 'preact/hooks'
import { Button } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { storageTexts } from '../ground/texts.ts'
import { AssetPicker } from './assetPicker.tsx'
import type { Catalog, CatalogEntry } from './catalog.ts'
import type { CheckDepth } from './checkRun.ts'
import { Radio } from './radio.tsx'
import { SampleField } from './sampleResult.tsx'

export interface CheckChoice {
  readonly scope: 'all' | 'album' | 'some'
  /** For `album`; the first album when none was chosen. */
  readonly albumId: AlbumId | undefined
  /** For `some`. */
  readonly chosen: ReadonlySet<AssetId>
  readonly depth: CheckDepth
  /** For `sample`. */
  readonly samples: number
}

export const FIRST_CHOICE: CheckChoice = {
  scope: 'all',
  albumId: undefined,
  chosen: new Set(),
  depth: 'deep',
  samples: 100,
}

export function entriesOf(
  all: readonly CatalogEntry[],
  { scope, albumId, chosen }: Omit<CheckChoice, 'depth' | 'samples'>,
): readonly CatalogEntry[] {
  if (scope === 'all') return all
  if (scope === 'album') return all.filter(({ facts }) => facts.albumId === albumId)
  return all.filter(({ assetId }) => chosen.has(assetId))
}

export interface ChoiceProps {
  readonly choice: CheckChoice
  readonly onChoice: (change: Partial<CheckChoice>) => void
}

interface ScopeFieldProps extends ChoiceProps {
  readonly all: Catalog
  /** Albums that contain files. */
  readonly albums: readonly Album[]
  /** How many files are chosen. */
  readonly count: number
}

export function ScopeField({ choice: { scope, albumId, chosen }, onChoice, all, albums, count }: ScopeFieldProps) {
  const text = useText(storageTexts).check
  const [isPicking, setPicking] = useState(false)
  const radio = (to: CheckChoice['scope'], label: string) => (
    <Radio name="scope" checked={scope === to} onChoose={() => onChoice({ scope: to })} label={label} />
  )
  return (
    <fieldset class="field">
      <legend>{text.scope}</legend>
      {radio('all', text.all(all.entries.length, all.hasInbox))}
      {albums.length > 1 && radio('album', text.album)}
      {scope === 'album' && (
        <select
          class="indented"
          aria-label={text.albumLabel}
          value={albumId}
          onChange={({ currentTarget: { value } }) =>
            onChoice({ albumId: albums.find((one) => one.albumId === value)?.albumId })
          }
        >
          {albums.map((one) => (
            <option key={one.albumId} value={one.albumId}>
              {one.name ?? text.albumUnnamed}
            </option>
          ))}
        </select>
      )}
      {radio('some', text.some)}
      {scope === 'some' && (
        <div class="row indented">
          <Button onClick={() => setPicking(true)}>{text.choose}</Button>
          <span class="soft">{text.chosen(count)}</span>
        </div>
      )}
      {isPicking && (
        <AssetPicker
          entries={all.entries}
          chosen={chosen}
          onChosen={(ids) => {
            onChoice({ chosen: ids })
            setPicking(false)
          }}
        />
      )}
    </fieldset>
  )
}

interface DepthFieldProps extends ChoiceProps {
  readonly entries: readonly CatalogEntry[]
}

export function DepthField({ choice: { depth, samples }, onChoice, entries }: DepthFieldProps) {
  const { check: text, sample } = useText(storageTexts)
  const costOf = (samples: number) =>
    Math.min(samples * MAX_SAMPLE_BYTES, statedSegments(entries.map(({ facts }) => facts)).bytes)
  return (
    <fieldset class="field">
      <legend>{text.depth}</legend>
      <Radio
        name="depth"
        checked={depth === 'deep'}
        onChoose={() => onChoice({ depth: 'deep' })}
        label={text.deep}
        hint={text.deepHint}
      />
      <Radio
        name="depth"
        checked={depth === 'structural'}
        onChoose={() => onChoice({ depth: 'structural' })}
        label={text.structural}
        hint={text.structuralHint}
      />
      <Radio
        name="depth"
        checked={depth === 'sample'}
        onChoose={() => onChoice({ depth: 'sample' })}
        label={sample.label}
        hint={sample.hint}
      />
      {depth === 'sample' && (
        <SampleField samples={samples} onSamples={(samples) => onChoice({ samples })} costOf={costOf} />
      )}
    </fieldset>
  )
}
