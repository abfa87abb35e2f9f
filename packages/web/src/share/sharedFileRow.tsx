import { Button, Name, Notice, Progress } from '../common/controls/controls.tsx'
import { Icon } from '../common/controls/icons.tsx'
import { formats } from '../common/language/format.ts'
import { useText } from '../common/language/reader.ts'
import { FileKind } from '../common/names/fileKind.tsx'
import { spokenName } from '../common/names/visibleName.ts'
import { whyNoPreview } from '../preview/mayHavePreview.ts'
import type { Fault, SharedAsset } from './receiver.ts'
import { shareTexts } from './texts.ts'

interface SharedFileRowProps {
  readonly file: SharedAsset
  readonly name: string
  /** The only file of the share: its download is the main action. */
  readonly isOnly: boolean
  /** Whether any file is being downloaded. */
  readonly isBusy: boolean
  readonly isSaved: boolean
  readonly isStopped: boolean
  /** Defined while this file is being downloaded. */
  readonly share: { readonly value: number | undefined } | undefined
  readonly fault: Fault | undefined
  readonly onSave: () => void
  readonly onStop: () => void
  readonly onLook: () => void
}

export function SharedFileRow(props: SharedFileRowProps) {
  const { file, name, share, fault, isSaved, isStopped } = props
  const text = useText(shareTexts)
  const spoken = spokenName(name, text.unnamed)
  const format = useText(formats)
  return (
    <li class="shared-file">
      <span class="shared-kind">
        <FileKind name={file.name} type={file.type} />
      </span>
      <div class="shared-words">
        <div class="shared-name">
          <Name>{name}</Name>
        </div>
        <div class="small soft">
          {format.bytes(file.size)}
          {file.modifiedAt !== undefined && ` · ${text.changed(format.instant(file.modifiedAt))}`}
        </div>
        <div role="status">
          {isSaved && share === undefined && (
            <span class="badge good">
              <Icon name="check" />
              {text.savedMark}
              <span class="visually-hidden">{spoken}</span>
            </span>
          )}
          {isStopped && share === undefined && <span class="small soft">{text.stopped}</span>}
        </div>
      </div>
      {/* Ignores the second click of a double click: by then "Stop" is where "Download" was. */}
      <div class="row shared-actions">
        {whyNoPreview(file) === undefined && (
          <Button kind="quiet" icon="eye" onClick={props.onLook}>
            <span aria-hidden="true">{text.show}</span>
            <span class="visually-hidden">{text.showOf(spoken)}</span>
          </Button>
        )}
        {share === undefined ? (
          <Button
            kind={props.isOnly ? 'primary' : undefined}
            icon="download"
            disabled={props.isBusy}
            onClick={({ detail }) => detail < 2 && props.onSave()}
          >
            <span aria-hidden="true">{text.save}</span>
            <span class="visually-hidden">{text.saveOf(spoken)}</span>
          </Button>
        ) : (
          <Button icon="close" onClick={({ detail }) => detail < 2 && props.onStop()}>
            <span aria-hidden="true">{text.stop}</span>
            <span class="visually-hidden">{text.stopOf(spoken)}</span>
          </Button>
        )}
      </div>
      {share !== undefined && (
        <div class="shared-whole">
          <Progress label={text.saving(spoken)} value={share.value} />
        </div>
      )}
      {fault !== undefined && (
        <div class="shared-whole">
          <Notice tone="bad">
            <strong>{text.faults[fault].title}</strong>
            <p>{text.faults[fault].text}</p>
          </Notice>
        </div>
      )}
    </li>
  )
}
