/**
 * How surprising each letter is after another in names and prose: quarter bits, one character of `BIGRAM_DIGITS` each.
 * Rows are the letter before (a to z, then the start of a word), columns the letter after (a to z, then the end of a word).
 *
 * Counted once over some 21,000 distinct words of source files and manuals, each weighted with the logarithm of its count,
 * so that common words do not drown the rest. Nothing is downloaded or counted at run time.
 */
const BIGRAM_DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_';

const ROWS = [
  'TIGHURMWLVNDJDdKcDGBNPSWORE',
  'DLLMCOWYDPWBUUFTkHHPEaeZNcE',
  'DSLSDSeDGSHIWaAUfJPEKbdgSRG',
  'FRRN8PVXCZYOWPGWfNLWKWacRZ7',
  'KRHEONPYPVQIKCWNUBDJTOULTVA',
  'EOMNDEYd9iaIVTDbjJNMIicbLdC',
  'HWVWAVMKGbaKPIJWfGLPIZadSZ6',
  'AXYW9XYbCcWOPODXYHQIKgXaOgB',
  'JNGJHLKbeZRHI9FNYKGFYLeUZLH',
  'CaWQ8XdVFXSUTOESVVCPGXRZreA',
  'ETOPASQTDXTGVOEPcNGHKYVePd9',
  'CWUL9UUZAcVESTETgbLLKSdjHfC',
  'AKVS8bZeCaVOKWFCfYMUKbeeScE',
  'FYHFEOCXGYPTUOITdVFCOQZiQWB',
  'QMKIVQNZPUPHG9MIkBHJIKJVXTE',
  'CYSUCXXNHeUEVVBIiALHKZZbSfF',
  'QSUVQaaZMacMSaSXVNRU2UPcbWC',
  'CVNN9TQaDhQQLOFTeMHHLRUjNUB',
  'KaKVDUbKFdRPTUJJZXHBIYWcPX7',
  'EbPVAWZJAfZPWUFVnEILKeWfLaB',
  'KIJOHOLbIPRFHBTIgDEEYUdVVTG',
  'AbRW5aUeBkXRVQFZjRPUNfbcRbE',
  '9XWRBaTIDeYPZGEVvGITUcVXJUD',
  'JQGQENZPEcYQNVNAcTOBRYYNRZ9',
  'IPLUJRRZKYRLKJLFeQJMSYNfUU4',
  'BUSP8dTQCbTPPIIQbbOUJUMbILC',
  'FIEGGJMMHQNJIKKFUGEHLNMUTQ_',
];

/** Index of the start or the end of a word. */
export const WORD_EDGE = 26;

/** Row width of `BIGRAM_BITS`: 26 letters and the edge. */
export const BIGRAM_WIDTH = 27;

/** Bits of surprise of letter `b` after letter `a`, at `a * BIGRAM_WIDTH + b`. */
export const BIGRAM_BITS: Float64Array = Float64Array.from(ROWS.join(''), (digit) => BIGRAM_DIGITS.indexOf(digit) / 4);
