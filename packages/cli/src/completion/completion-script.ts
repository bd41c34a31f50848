/**
 * What a shell runs once, at its start. It asks `gatehouse completion SHELL -- WORDS…` for what may follow, one candidate a
 * line, and completes files where there is none.
 */
export const completionScripts = {
  bash: `# gatehouse completion bash
_gatehouse() {
  local line cur="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  while IFS= read -r line; do
    case $cur in
      [\\'\\"]*) ;;
      *) printf -v line '%q' "$line" ;;
    esac
    COMPREPLY+=("$line")
  done < <("\${COMP_WORDS[0]}" completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _gatehouse gatehouse
`,
  zsh: `#compdef gatehouse
_gatehouse() {
  local -a found
  found=("\${(@f)$("\${words[1]}" completion zsh -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n \${found[1]} ]]; then
    _describe gatehouse found
  else
    _files
  fi
}
if [[ \${funcstack[1]} == _gatehouse ]]; then
  _gatehouse "$@"
else
  compdef _gatehouse gatehouse
fi
`,
  fish: `# gatehouse completion fish
function __gatehouse_complete
  set -l words (commandline -opc) "$(commandline -ct)"
  set -l found (gatehouse completion fish -- $words[2..-1] 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path "$(commandline -ct)"
  end
end
complete -c gatehouse -f -a '(__gatehouse_complete)'
`,
} as const;
export type Shell = keyof typeof completionScripts;

/** A word that may follow, and what it means. */
export interface Candidate {
  word: string;
  about?: string;
}

/** Candidates as the script of a shell reads them. */
export function candidatesText(shell: Shell, candidates: readonly Candidate[]): string {
  return candidates
    .map(({ word, about }) => {
      if (shell === 'zsh') return word.replaceAll(':', '\\:') + (about === undefined ? '' : `:${about}`);
      return shell === 'fish' && about !== undefined ? `${word}\t${about}` : word;
    })
    .map((line) => `${line}\n`)
    .join('');
}
