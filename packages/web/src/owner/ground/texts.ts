/** What the areas say, in each language: `useText` gives a component those of its reader. */
import { account as accountDe } from '../../text/de/account.ts'
import { albums as albumsDe } from '../../text/de/albums.ts'
import { bin as binDe } from '../../text/de/bin.ts'
import { find as findDe } from '../../text/de/find.ts'
import { inbox as inboxDe } from '../../text/de/inbox.ts'
import { links as linksDe } from '../../text/de/links.ts'
import { moving as movingDe } from '../../text/de/moving.ts'
import { owner as ownerDe } from '../../text/de/owner.ts'
import { shares as sharesDe } from '../../text/de/shares.ts'
import { storage as storageDe } from '../../text/de/storage.ts'
import { take as takeDe } from '../../text/de/take.ts'
import { work as workDe } from '../../text/de/work.ts'
import { account as accountEn } from '../../text/en/account.ts'
import { albums as albumsEn } from '../../text/en/albums.ts'
import { bin as binEn } from '../../text/en/bin.ts'
import { find as findEn } from '../../text/en/find.ts'
import { inbox as inboxEn } from '../../text/en/inbox.ts'
import { links as linksEn } from '../../text/en/links.ts'
import { moving as movingEn } from '../../text/en/moving.ts'
import { owner as ownerEn } from '../../text/en/owner.ts'
import { shares as sharesEn } from '../../text/en/shares.ts'
import { storage as storageEn } from '../../text/en/storage.ts'
import { take as takeEn } from '../../text/en/take.ts'
import { work as workEn } from '../../text/en/work.ts'

export const accountTexts = { en: accountEn, de: accountDe }
export const albumsTexts = { en: albumsEn, de: albumsDe }
export const binTexts = { en: binEn, de: binDe }
export const findTexts = { en: findEn, de: findDe }
export const inboxTexts = { en: inboxEn, de: inboxDe }
export const linksTexts = { en: linksEn, de: linksDe }
export const movingTexts = { en: movingEn, de: movingDe }
export const ownerTexts = { en: ownerEn, de: ownerDe }
export const sharesTexts = { en: sharesEn, de: sharesDe }
export const storageTexts = { en: storageEn, de: storageDe }
export const takeTexts = { en: takeEn, de: takeDe }
export const workTexts = { en: workEn, de: workDe }

export type AlbumsText = typeof albumsEn
export type InboxText = typeof inboxEn
export type LinksText = typeof linksEn
export type SharesText = typeof sharesEn
export type StorageText = typeof storageEn
export type WorkText = typeof workEn
