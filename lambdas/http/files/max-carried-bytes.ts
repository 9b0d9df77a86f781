/**
 * Most bytes of a file in one request or answer of a function. Lambda takes and gives 6 MB, and bytes travel as base64
 * there: 4 MiB are 5.6 MB.
 */
export const maxCarriedBytes = 4 * 1024 * 1024;
