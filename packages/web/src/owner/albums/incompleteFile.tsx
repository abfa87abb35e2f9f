import type { IncompleteAsset } from '@blindkeep/client/owner'
import { useState } from 'preact/hooks'
import { Button, Name } from '../../common/controls.tsx'
import { Fact } from '../../common/fact.tsx'
import { formatBytes, formatInstant } from '../../common/format.ts'
import type { Language } from '../../common/language.ts'
import { Preview } from '../../common/preview.tsx'
import { errorText } from '../errorText.ts'
import { albumsText } from './texts.ts'

interface IncompleteFileProps {
  readonly incomplete: IncompleteAsset
  readonly album: string
  readonly language: Language
}

/** Everything that finishing signs about a file, and its preview when the owner asks for it. */
export function IncompleteFile({ incomplete, album, language }: IncompleteFileProps) {
  const { asset: text, incomplete: own, album: albumTexts } = albumsText(language)
  const { file, arrivedAt } = incomplete
  const name = file.name === undefined || file.name.trim() === '' ? albumTexts.unnamed : file.name
  const [isPreviewed, setPreviewed] = useState(false)
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
      {isPreviewed ? (
        <Preview
          open={(signal) => incomplete.open({ signal })}
          name={name}
          language={language}
          explain={(error) => errorText(error, language)}
        />
      ) : (
        <div>
          <Button icon="eye" onClick={() => setPreviewed(true)}>
            {text.show}
            <span class="visually-hidden">: {name}</span>
          </Button>
        </div>
      )}
    </>
  )
}
