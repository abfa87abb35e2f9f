import { Name } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { filePath } from '../../common/names/filePath.ts'
import type { Row } from '../ground/messages.ts'
import { guestTexts } from '../ground/texts.ts'

interface FewFilesProps {
  /** The first of them. */
  readonly rows: readonly Row[]
  /** How many there are. */
  readonly count: number
}

/** Names files that were not sent, with the reason, where the list of all files can be long. */
export function FewFiles({ rows, count }: FewFilesProps) {
  const text = useText(guestTexts)
  return (
    <>
      <ul class="missing small">
        {rows.map((row) => (
          <li key={row.id}>
            <strong>
              <Name>{filePath(row)}</Name>
            </strong>
            {row.failure !== undefined && <> {text.failures[row.failure]}</>}
          </li>
        ))}
      </ul>
      {count > rows.length && <p class="small">{text.queue.hidden(count - rows.length)}</p>}
    </>
  )
}
