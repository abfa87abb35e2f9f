import { isLocalPage } from '../../common/address/localPage.ts'
import { Button, IconButton, Name, Progress } from '../../common/controls/controls.tsx'
import { Icon, type IconName } from '../../common/controls/icons.tsx'
import { Redrawn } from '../../common/drawing/redrawn.tsx'
import { useFileInput } from '../../common/files/fileInput.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { spokenName, visibleName } from '../../common/names/visibleName.ts'
import { errorTexts } from '../ground/errorText.ts'
import { albumsTexts } from '../ground/texts.ts'
import { isActive, OtherFile, type UploadItem, type UploadPhase } from '../uploads/uploadItem.ts'
import type { UploadQueue } from '../uploads/uploadQueue.ts'

interface UploadPanelProps {
  readonly queue: UploadQueue<File>
  readonly items: readonly UploadItem[]
}

export function UploadPanel({ queue, items }: UploadPanelProps) {
  const text = useText(albumsTexts).uploads
  const done = items.filter(({ phase }) => phase === 'done').length
  const isAllDone = done === items.length
  return (
    <section class="card stack uploads" aria-label={text.title}>
      <div class="row apart">
        <h2>{text.title}</h2>
        {done > 0 && (
          <Button kind="quiet" onClick={queue.clearDone}>
            {text.clear}
          </Button>
        )}
      </div>
      <p class="small soft">{isAllDone ? '' : text.summary(done, items.length)}</p>
      {items.some(({ phase }) => phase === 'file_missing') && <p class="small soft">{text.missing}</p>}
      <ul class="stack">
        {items.map((item) => (
          <Redrawn key={item.id} parts={[item, queue]} draw={() => <UploadRow item={item} queue={queue} />} />
        ))}
      </ul>
      <p role="status" class={isAllDone ? '' : 'visually-hidden'}>
        {isAllDone && text.allDone(done)}
      </p>
      {items.some(isActive) && (
        <p class="small soft">{isLocalPage ? text.leave : `${text.leave} ${text.afterReload}`}</p>
      )}
    </section>
  )
}

const PHASE_ICONS: Readonly<Partial<Record<UploadPhase, IconName>>> = {
  done: 'check',
  failed: 'alert',
  file_missing: 'folder',
  paused: 'pause',
}

interface UploadRowProps {
  readonly item: UploadItem
  readonly queue: UploadQueue<File>
}

function UploadRow({ item, queue }: UploadRowProps) {
  const { uploads: text, album } = useText(albumsTexts)
  const format = useText(formats)
  const errorText = useText(errorTexts)
  const { phase, name, size, share } = item
  const spoken = spokenName(name, album.unnamed)
  const hasShare = phase === 'preparing' || phase === 'sending'
  return (
    <li class={`upload ${phase}`}>
      <Icon name={PHASE_ICONS[phase] ?? 'upload'} />
      <div class="grow stack tight">
        <div class="upload-name">
          <Name>{visibleName(name) ?? album.unnamed}</Name>
        </div>
        <div class="small soft">
          {format.bytes(size)} · {text.phases[phase]}
          {hasShare && ` · ${format.percent(share, 1)}`}
        </div>
        {isActive(item) && phase !== 'waiting' && (
          <Progress label={text.progress(spoken)} value={hasShare ? share : undefined} />
        )}
        {item.isRetrying && <div class="small">{waitText(item, text)}</div>}
        {size === 0 && <div class="small">{text.empty}</div>}
        {phase === 'file_missing' && (
          <ChooseAgain
            label={text.choose(spoken)}
            short={text.chooseShort}
            onFiles={(files) => queue.giveFiles(item.id, files)}
          />
        )}
        {item.error !== undefined && (
          <div class="small fault" role="alert">
            {item.error instanceof OtherFile ? text.otherFile : errorText(item.error)}
          </div>
        )}
      </div>
      <Actions item={item} queue={queue} />
    </li>
  )
}

function waitText({ trouble }: UploadItem, texts: (typeof albumsTexts)['en']['uploads']): string {
  const { line, diskFull, littleRoom } = texts
  if (trouble === 'little_room') return littleRoom
  return trouble === 'disk_full' ? diskFull : line
}

function Actions({ item: { id, phase, name: given }, queue }: UploadRowProps) {
  const { uploads: text, album } = useText(albumsTexts)
  const name = spokenName(given, album.unnamed)
  return (
    <div class="row upload-actions">
      {isActive({ phase }) && <IconButton icon="pause" label={text.pause(name)} onClick={() => queue.pause(id)} />}
      {phase === 'paused' && <IconButton icon="play" label={text.resume(name)} onClick={() => queue.resume(id)} />}
      {phase === 'failed' && <IconButton icon="retry" label={text.retry(name)} onClick={() => queue.resume(id)} />}
      {phase === 'done' ? (
        <Button kind="quiet" label={text.hideLong(name)} onClick={() => queue.cancel(id)}>
          {text.hide}
        </Button>
      ) : (
        <IconButton icon="close" label={text.cancel(name)} onClick={() => queue.cancel(id)} />
      )}
    </div>
  )
}

interface ChooseAgainProps {
  readonly label: string
  readonly short: string
  readonly onFiles: (files: readonly File[]) => void
}

function ChooseAgain({ label, short, onFiles }: ChooseAgainProps) {
  const { input, open } = useFileInput({ label, onFiles })
  return (
    <div>
      {input}
      <Button onClick={open}>{short}</Button>
    </div>
  )
}
