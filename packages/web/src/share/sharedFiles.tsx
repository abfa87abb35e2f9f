import { useState } from 'preact/hooks'
import { Button, Dialog, Name, Notice } from '../common/controls/controls.tsx'
import { StepEnd } from '../common/drawing/stepEnd.tsx'
import { useSaving } from '../common/files/useSaving.ts'
import { useText } from '../common/language/reader.ts'
import { visibleName } from '../common/names/visibleName.ts'
import { Preview } from '../preview/previewPane.tsx'
import type { Fault, OpenedShare, SharedAsset } from './receiver.ts'
import { SharedFileRow } from './sharedFileRow.tsx'
import { shareTexts } from './texts.ts'

/** A share can have thousands of files, so more are drawn as the person scrolls. */
const STEP = 100

interface SharedFilesProps {
  readonly share: OpenedShare
  readonly receiver: typeof import('./receiver.ts')
}

export function SharedFiles({ share: { assets }, receiver }: SharedFilesProps) {
  const text = useText(shareTexts)
  const [count, setCount] = useState(STEP)
  const [looked, setLooked] = useState<SharedAsset>()
  const saving = useSavedFiles(assets, { receiver, unnamed: text.unnamed })
  const nameOf = (asset: SharedAsset) => displayName(asset, text.unnamed)
  return (
    <>
      {assets.length > 1 && (
        <div>
          <Button kind="primary" icon="download" busy={saving.present !== undefined} onClick={saving.saveAll}>
            {text.saveAll}
          </Button>
        </div>
      )}
      <ul class="shared-files" aria-label={text.list}>
        {assets.slice(0, count).map((asset, index) => (
          <SharedFileRow
            key={index}
            file={asset}
            name={nameOf(asset)}
            isOnly={assets.length === 1}
            isBusy={saving.present !== undefined}
            isSaved={saving.saved.has(index)}
            isStopped={saving.stopped === index}
            share={saving.present?.index === index ? { value: saving.present.share } : undefined}
            fault={saving.faults.get(index)}
            onSave={() => saving.save(index)}
            onStop={saving.stop}
            onLook={() => setLooked(asset)}
          />
        ))}
      </ul>
      {[...saving.faults].map(([index, fault]) => {
        const asset = assets[index]
        // Shown here while its row is not drawn.
        return index < count || asset === undefined ? null : (
          <Notice key={index} tone="bad">
            <strong>
              <Name>{nameOf(asset)}</Name>
            </strong>
            <p>{text.faults[fault].title}</p>
          </Notice>
        )
      })}
      {count < assets.length && <StepEnd key={count} onReached={() => setCount(count + STEP)} />}
      <p class="small soft">{text.careful}</p>
      {looked !== undefined && (
        <Dialog title={nameOf(looked)} closeLabel={text.close} onClose={() => setLooked(undefined)}>
          <Preview
            open={async (signal) => ({ content: await looked.open({ signal }), size: looked.size })}
            name={nameOf(looked)}
            explain={(error) => text.faults[receiver.fileFaultOf(error)].text}
          />
        </Dialog>
      )}
    </>
  )
}

function displayName({ name }: SharedAsset, unnamed: string): string {
  return visibleName(name) ?? unnamed
}

interface SavedFilesOptions extends Pick<SharedFilesProps, 'receiver'> {
  readonly unnamed: string
}

function useSavedFiles(assets: readonly SharedAsset[], { receiver, unnamed }: SavedFilesOptions) {
  const saving = useSaving()
  /** The indexes of the files that are downloaded one after the other. */
  const [batch, setBatch] = useState<readonly number[]>([])
  const [saved, setSaved] = useState<ReadonlySet<number>>(new Set())
  const [faults, setFaults] = useState<ReadonlyMap<number, Fault>>(new Map())
  /** The index of the file whose download the person has stopped. */
  const [stopped, setStopped] = useState<number>()
  const index = saving.now && batch[saving.now.index]

  async function save(places: readonly number[]): Promise<void> {
    setBatch(places)
    let next = 0
    const files = places.flatMap((place) => {
      const asset = assets[place]
      if (asset === undefined) return []
      const open = async (signal: AbortSignal) => ({ content: await asset.open({ signal }), size: asset.size })
      return [{ name: displayName(asset, unnamed), open }]
    })
    try {
      await saving.save(files, (done) => {
        next = done + 1
        const place = places[done]
        if (place !== undefined) setSaved((last) => new Set([...last, place]))
      })
    } catch (error) {
      const fault = receiver.fileFaultOf(error)
      const place = places[next] ?? 0
      setFaults((last) => new Map(last).set(place, fault))
      // A fault of one file does not affect the next ones.
      if (fault === 'file_gone' || fault === 'file_tampered') await save(places.slice(next + 1))
    }
  }

  function start(places: readonly number[]): void {
    setFaults(new Map())
    setStopped(undefined)
    void save(places)
  }

  return {
    present: index === undefined ? undefined : { index, share: saving.now?.share },
    saved,
    faults,
    stopped,
    save: (place: number) => start([place]),
    saveAll: () => start([...assets.keys()]),
    stop: () => {
      saving.stop()
      setStopped(index)
    },
  }
}
