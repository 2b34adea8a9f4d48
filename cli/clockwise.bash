# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Completion of clockwise for bash. Commands, options and the names of
# placements come from the program itself, so a new one needs no edit here.
# LC_ALL=C: in Turkish, i is not between a and z.

_clockwise_options() {
    clockwise help ${1:+"$1"} 2>/dev/null |
        LC_ALL=C grep -oE -- '--?[a-z0-9][a-z-]*' | sort -u
}

_clockwise_commands() {
    clockwise help 2>/dev/null |
        LC_ALL=C sed -n 's/^  \([a-z]*\)  *[a-z].*/\1/p'
}

_clockwise() {
    local word=${COMP_WORDS[COMP_CWORD]}
    local before=${COMP_WORDS[COMP_CWORD - 1]} command='' i list=''

    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        -*) ;;
        *)  command=${COMP_WORDS[i]}
            break ;;
        esac
    done
    case $before in
    -f | --fleet | -k | --keys | --report | --svg | --sample | --ask | -e | --evidence | --before)
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return ;;
    --set | --set-old | --set-new)
        list="algorithm= compat= hash= points="
        [[ $word == *=* ]] || compopt -o nospace ;;
    =)  case ${COMP_WORDS[COMP_CWORD - 2]} in
        algorithm) list=$(clockwise list -q algorithms | cut -f 1) ;;
        compat)    list=$(clockwise list -q compat | cut -f 1) ;;
        hash)      list=$(clockwise list -q hashes | cut -f 1) ;;
        esac ;;
    *)  case $word in
        -*) list="$(_clockwise_options "$command")
                  $(_clockwise_options '')" ;;
        *)  case $command in
            '')   list=$(_clockwise_commands) ;;
            help) list=$(_clockwise_commands) ;;
            list) list="algorithms hashes compat formats evidence" ;;
            import) list="auto $(clockwise list -q formats | cut -f 1)" ;;
            export) list=$(clockwise list -q formats |
                           sed -n "s/\timport,export.*//p") ;;
            diff | plan | draw | verify | advise | diagnose | top | check | fingerprint)
                mapfile -t COMPREPLY < <(compgen -f -- "$word")
                return ;;
            esac ;;
        esac ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$list" -- "$word")
}

complete -F _clockwise clockwise
