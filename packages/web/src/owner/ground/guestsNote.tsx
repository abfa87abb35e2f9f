import { isLocalPage } from '../../common/address/localPage.ts'
import { useText } from '../../common/language/reader.ts'
import { localTexts } from '../../local/texts.ts'

/** On a local page: it cures its owner of the server's pages, and no guest. */
export function GuestsNote() {
  const text = useText(localTexts)
  return isLocalPage ? <p class="soft">{text.guests}</p> : null
}
