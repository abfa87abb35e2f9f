/** If `DATA_DIR` names no other. */
export const DATA_DIRECTORY = './data'
