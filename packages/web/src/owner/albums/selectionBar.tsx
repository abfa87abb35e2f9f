import type { AssetFacts } from '@blindkeep/client/owner'
import { mapConcurrently } from '@blindkeep/protocol/concurrency'
import type { AssetId } from '@blindkeep/protocol/ids'
import { useState } from 'preact/hooks'
import { Button, IconButton, Notice, Progress } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { type ConsentedAsset, doubtfulOf, type ShownAsset, showAsset } from '../assets/shownAsset.ts'
import { errorTexts } from '../ground/errorText.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { albumsTexts } from '../ground/texts.ts'
import { useKeys } from '../keys/listKeys.ts'
import { ShareDialog } from '../shares/shareDialog.tsx'
import { useConsent } from './consent.tsx'
import { MoveDialog } from './moveDialog.tsx'
import { RemoveDialog } from './removeDialog.tsx'
import { useAssetSaving } from './useAssetSaving.ts'

/** Each takes two small requests. */
const MAX_AT_ONCE = 6

interface SelectionBarProps {
  readonly albumName: string
  readonly selected: readonly AssetFacts[]
  readonly onClear: () => void
  readonly onRemoved: (deleted: readonly AssetId[]) => void
}

/** The actions for the selected files, at the bottom, in reach of the thumb. */
export function SelectionBar({ albumName, selected, onClear, onRemoved }: SelectionBarProps) {
  const { owner } = useOwnerPages()
  const text = useText(albumsTexts)
  const errorText = useText(errorTexts)
  const [isRemoving, setRemoving] = useState(false)
  const [isMoving, setMoving] = useState(false)
  const [sharing, setSharing] = useState<readonly ConsentedAsset[]>()
  const [isReading, setReading] = useState(false)
  const [fault, setFault] = useState<string>()
  const saving = useAssetSaving({ albumName })
  const consent = useConsent()
  const keys = useKeys()

  /** The files as the tiles show them, of the same facts; undefined after a failure, which it shows. */
  async function read(): Promise<readonly ShownAsset[] | undefined> {
    setReading(true)
    setFault(undefined)
    try {
      return await mapConcurrently(selected, MAX_AT_ONCE, (asset) => showAsset(owner, asset))
    } catch (error) {
      setFault(errorText(error))
      return undefined
    } finally {
      setReading(false)
    }
  }

  async function save(): Promise<void> {
    const shown = await read()
    if (shown !== undefined) consent.ask('download', shown, saving.save)
  }

  async function share(): Promise<void> {
    const shown = (await read()) ?? []
    const unsigned = shown.filter(({ trust }) => trust.kind === 'unsigned').length
    if (unsigned > 0) setFault(text.trust.notShared(unsigned))
    else if (shown.length > 0) consent.ask('share', shown, setSharing)
  }

  /** Another signature would vouch for what a revoked device has signed. */
  async function move(): Promise<void> {
    const shown = await read()
    if (shown === undefined) return
    const doubtful = doubtfulOf(shown).length
    if (doubtful > 0) setFault(text.move.unsigned(doubtful))
    else setMoving(true)
  }

  return (
    <section class="card selection-bar" data-bar aria-label={text.selection.region}>
      <div class="row">
        <IconButton icon="close" label={text.selection.clear} onClick={onClear} />
        <strong role="status">{text.selection.count(selected.length)}</strong>
      </div>
      <div class="row">
        <Button icon="share" disabled={isReading} onClick={() => void share()}>
          {text.selection.share}
        </Button>
        <Button
          icon="download"
          disabled={isReading}
          busy={saving.now !== undefined}
          keys={keys('S')}
          onClick={() => void save()}
        >
          {text.selection.download}
        </Button>
        <Button icon="album" disabled={isReading} onClick={() => void move()}>
          {text.move.short}
        </Button>
        <Button icon="trash" kind="danger" keys={keys('Delete #')} onClick={() => setRemoving(true)}>
          {text.selection.remove}
        </Button>
      </div>
      {fault !== undefined && <Notice tone="bad">{fault}</Notice>}
      {saving.now !== undefined && (
        <div class="row selection-saving">
          <div class="grow">
            <Progress label={text.saving.progress(saving.now.name)} value={saving.now.share} />
          </div>
          <Button kind="quiet" onClick={saving.stop}>
            {text.saving.stop}
          </Button>
        </div>
      )}
      {consent.dialog}
      {saving.dialog}
      {sharing !== undefined && <ShareDialog assets={sharing} onClose={() => setSharing(undefined)} />}
      {isMoving && <MoveDialog assets={selected} onClose={() => setMoving(false)} onMoved={onRemoved} />}
      {isRemoving && <RemoveDialog assets={selected} onClose={() => setRemoving(false)} onRemoved={onRemoved} />}
    </section>
  )
}
