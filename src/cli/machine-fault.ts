/** What the machine does not give a program, in words that say what changes it; such a fault is nobody's to report. */

const WAYS_OUT: Readonly<Record<string, string>> = {
  EMFILE:
    'this program may open no more files (EMFILE); raise the limit, for example with `ulimit -n 1024`, and run it again',
  ENFILE: 'the machine may open no more files (ENFILE); end some of what runs on it and run this again',
};

/** `null` for every other fault. */
export const machineFault = (fault: unknown): string | null => {
  const code = fault instanceof Error && 'code' in fault && typeof fault.code === 'string' ? fault.code : '';
  return WAYS_OUT[code] ?? null;
};
