import type { AssetId } from '@blindkeep/protocol/ids'
import { useMemo, useState } from 'preact/hooks'
import { Button, Check, Dialog, DialogEnd, Name } from '../../common/controls/controls.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { useLoaded } from '../../common/work/useLoaded.ts'
import { shownName } from '../assets/assetNames.ts'
import { fileKey, showAsset } from '../assets/shownAsset.ts'
import { TrustBadge } from '../assets/trustBadge.tsx'
import { useFoundAssets } from '../assets/useFoundAssets.ts'
import { FindBar } from '../find/findBar.tsx'
import { ALL } from '../find/findState.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { albumsTexts, storageTexts } from '../ground/texts.ts'
import type { CatalogEntry } from './catalog.ts'

const SHOWN_AT_ONCE = 30

const ORDERS = ['newest', 'oldest', 'name', 'largest', 'smallest'] as const

interface AssetPickerProps {
  readonly entries: readonly CatalogEntry[]
  readonly chosen: ReadonlySet<AssetId>
  /** Called also when the dialog is closed: the ticked files are then chosen. */
  readonly onChosen: (chosen: ReadonlySet<AssetId>) => void
}

export function AssetPicker({ entries, chosen, onChosen }: AssetPickerProps) {
  const text = useText(storageTexts).picker
  const format = useText(formats)
  const [ticked, setTicked] = useState(chosen)
  const [shown, setShown] = useState(SHOWN_AT_ONCE)
  const [state, setState] = useState(ALL)
  const byId = useMemo(() => new Map(entries.map((entry) => [entry.assetId, entry])), [entries])
  const { shown: found, reading } = useFoundAssets({
    assets: useMemo(() => entries.map(({ facts }) => facts), [entries]),
    state,
  })
  const done = () => onChosen(ticked)
  return (
    <Dialog title={text.title} closeLabel={text.close} onClose={done}>
      <FindBar
        {...{ state, reading }}
        what="files"
        filters="files"
        orders={ORDERS}
        onState={(change) => setState((last) => ({ ...last, ...change }))}
        shown={found.length}
        of={entries.length}
      />
      <ul class="stack">
        {found
          .slice(0, shown)
          .flatMap(({ assetId }) => byId.get(assetId) ?? [])
          .map((entry) => (
            <li key={entry.assetId}>
              <Check
                checked={ticked.has(entry.assetId)}
                onChange={(isTicked) => {
                  const next = new Set(ticked)
                  if (isTicked) next.add(entry.assetId)
                  else next.delete(entry.assetId)
                  setTicked(next)
                }}
              >
                <EntryName entry={entry} />
                <span class="small soft block">{text.stored(format.instant(entry.facts.createdAt))}</span>
              </Check>
            </li>
          ))}
      </ul>
      {shown < found.length && (
        <div>
          <Button kind="quiet" onClick={() => setShown(shown + SHOWN_AT_ONCE)}>
            {text.more}
          </Button>
        </div>
      )}
      <DialogEnd>
        <Button kind="primary" onClick={done}>
          {text.done(ticked.size)}
        </Button>
      </DialogEnd>
    </Dialog>
  )
}

function EntryName({ entry }: { readonly entry: CatalogEntry }) {
  const { owner } = useOwnerPages()
  const text = useText(storageTexts)
  const albumsText = useText(albumsTexts)
  const format = useText(formats)
  const { value, error } = useLoaded((signal) => showAsset(owner, entry.facts, signal), fileKey(entry.facts))
  if (error !== undefined) return <em>{text.picker.nameFault}</em>
  if (value === undefined) return <span class="soft">{text.picker.nameLoading}</span>
  const { description, trust } = value
  return (
    <>
      <Name>{shownName(value, albumsText)}</Name>
      {description !== undefined && <span class="small soft"> · {format.bytes(description.size)}</span>}
      <TrustBadge trust={trust} />
    </>
  )
}
