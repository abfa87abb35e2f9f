import type { IncompleteAsset } from '@blindkeep/client/owner'
import { useState } from 'preact/hooks'
import { Button, Name, Notice } from '../../common/controls/controls.tsx'
import { Fact } from '../../common/controls/fact.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { spokenName, visibleName } from '../../common/names/visibleName.ts'
import { useCloseGuard } from '../../common/work/closeGuard.ts'
import { useAction } from '../../common/work/useAction.ts'
import { whyNoPreview } from '../../preview/mayHavePreview.ts'
import { NoPreview, Preview } from '../../preview/previewPane.tsx'
import { useDevice } from '../browser/device.ts'
import { errorTexts } from '../ground/errorText.ts'
import { albumsTexts } from '../ground/texts.ts'

interface IncompleteFileProps {
  readonly incomplete: IncompleteAsset
  readonly album: string
  readonly onFinished: () => void
}

/** Everything that finishing signs about a file, and its preview when the owner asks for it. */
export function IncompleteFile({ incomplete, album, onFinished }: IncompleteFileProps) {
  const { asset: text, incomplete: own, album: albumTexts } = useText(albumsTexts)
  const format = useText(formats)
  const errorText = useText(errorTexts)
  const { file, arrivedAt, retainUntil } = incomplete
  const name = visibleName(file.name) ?? albumTexts.unnamed
  const spoken = spokenName(name, albumTexts.unnamed)
  const why = whyNoPreview(file)
  const [isPreviewed, setPreviewed] = useState(false)
  const device = useDevice()
  const { isBusy, error, run } = useAction()
  useCloseGuard(isBusy)
  const finish = async () => {
    const isFinished = await run(async () => {
      await incomplete.complete({ device: await device() })
    })
    if (isFinished) onFinished()
  }
  return (
    <>
      <h3>
        <Name>{name}</Name>
      </h3>
      <dl class="asset-facts">
        <Fact term={text.size}>{format.bytes(file.size)}</Fact>
        <Fact term={own.album}>
          <Name>{album}</Name>
        </Fact>
        {arrivedAt === undefined ? (
          <Fact term={own.origin}>{own.ownUpload}</Fact>
        ) : (
          <>
            <Fact term={text.sender}>
              {file.sender === undefined ? own.senderNone : <Name>{file.sender}</Name>}{' '}
              <span class="small soft">{text.senderHint}</span>
            </Fact>
            <Fact term={text.arrived}>{format.instant(arrivedAt)}</Fact>
          </>
        )}
        {retainUntil !== undefined && <Fact term={text.protectedUntil}>{format.instant(retainUntil)}</Fact>}
        {file.note !== undefined && (
          <Fact term={text.note}>
            <span class="asset-note">
              <Name>{file.note}</Name>
            </span>
          </Fact>
        )}
        {file.type !== undefined && (
          <Fact term={text.type}>
            <Name>{file.type}</Name>
          </Fact>
        )}
      </dl>
      {isPreviewed && (
        <Preview open={(signal) => incomplete.open({ signal })} name={name} explain={(fault) => errorText(fault)} />
      )}
      {why !== undefined && <NoPreview why={why} />}
      {error !== undefined && <Notice tone="bad">{errorText(error)}</Notice>}
      <div class="row">
        {!isPreviewed && why === undefined && (
          <Button icon="eye" onClick={() => setPreviewed(true)}>
            {text.show}
            <span class="visually-hidden">: {spoken}</span>
          </Button>
        )}
        <Button kind="primary" busy={isBusy} onClick={() => void finish()}>
          {isBusy ? own.finishing : own.finish}
          <span class="visually-hidden">: {spoken}</span>
        </Button>
      </div>
    </>
  )
}
