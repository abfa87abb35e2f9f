/** What the service worker asks of an open page of the owner when its notification was clicked. */
export const OPEN_INBOX = 'blindkeep.openInbox'
