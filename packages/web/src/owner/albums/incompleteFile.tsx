import type { IncompleteAsset } from '@blindkeep/client/owner'
import { useState } from 'preact/hooks'
import { useCloseGuard } from '../../common/closeGuard.ts'
import { Button, Name, Notice } from '../../common/controls.tsx'
import { Fact } from '../../common/fact.tsx'
import { formatBytes, formatInstant } from '../../common/format.ts'
import { Preview } from '../../preview/previewPane.tsx'
import { useOwnerPages } from '../context.ts'
import { useDevice } from '../device.ts'
import { errorText } from '../errorText.ts'
import { useAction } from '../useAction.ts'
import { albumsText } from './texts.ts'

interface IncompleteFileProps {
  readonly incomplete: IncompleteAsset
  readonly album: string
  readonly onFinished: () => void
}

/** Everything that finishing signs about a file, and its preview when the owner asks for it. */
export function IncompleteFile({ incomplete, album, onFinished }: IncompleteFileProps) {
  const { language } = useOwnerPages()
  const { asset: text, incomplete: own, album: albumTexts } = albumsText(language)
  const { file, arrivedAt } = incomplete
  const name = file.name === undefined || file.name.trim() === '' ? albumTexts.unnamed : file.name
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
        <Fact term={text.size}>{formatBytes(file.size, language)}</Fact>
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
            <Fact term={text.arrived}>{formatInstant(arrivedAt, language)}</Fact>
          </>
        )}
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
        <Preview
          open={(signal) => incomplete.open({ signal })}
          name={name}
          language={language}
          explain={(fault) => errorText(fault, language)}
        />
      )}
      {error !== undefined && <Notice tone="bad">{errorText(error, language)}</Notice>}
      <div class="row">
        {!isPreviewed && (
          <Button icon="eye" onClick={() => setPreviewed(true)}>
            {text.show}
            <span class="visually-hidden">: {name}</span>
          </Button>
        )}
        <Button kind="primary" busy={isBusy} onClick={() => void finish()}>
          {isBusy ? own.finishing : own.finish}
          <span class="visually-hidden">: {name}</span>
        </Button>
      </div>
    </>
  )
}
